// Package app opens once what one process of the retriever needs, and gives it to commands, API and MCP as a value.
//
// It holds no logic, only the order in which parts are made:
//
//	Backend ─▶ Access ─▶ Fresh ─▶ retriever ─▶ Answers ─▶ Prompts
//	                                              ▲          ▲
//	             Embedders ───────────────────────┘          │
//	             documents ─▶ History, Memory, usage, … ─────┘
//
// Each part knows the ones to its left and none to its right. What is remembered lies in a store of documents of its
// own, which a question about code does not need: [App.History], [App.Memory] and [App.Prompts] open it when they are
// first called, and try again where that failed.
package app
