package mcp

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// tool is one tool.
type tool struct {
	name, title string
	about       string // for the model
	schema      string // of its arguments
	alias       string // the tool that it is another name of
	always      bool   // it is always offered
	writes      bool   // it changes what is remembered
	idempotent  bool   // the same call again changes nothing more
	loaded      bool   // clients that load tools when they are asked for shall show this one at once
	call        func(ctx context.Context, e Engine, args json.RawMessage) (string, error)
}

const rootArg = `"root":{"type":"string","description":"folder of the project, if another than the one you work in"}`

const recallSchema = `{"type":"object","properties":{"query":{"type":"string"},` +
	`"type":{"type":"string","description":"only this kind, such as decision or convention"},` + rootArg +
	`},"required":["query"],"additionalProperties":false}`

const aboutRecall = "Find what agents noted about this project before: decisions, conventions, facts, errors."

// tools are all tools, in the order of the list. The common ones take less than 600 tokens.
var tools = []tool{
	{name: "search_code", title: "Search code", always: true, loaded: true, call: searchCode,
		about: "Find code in this project by meaning or name. Ask in plain words, or give an identifier, a file, an error message or a stack trace. " +
			"Answers with path:lines, a grade (strong, likely, possible) and the text, checked against the disk.",
		schema: `{"type":"object","properties":{"query":{"type":"string"},` + rootArg + `,` +
			`"path":{"type":"string","description":"only this file or folder, or a glob such as src/**/*.go"},` +
			`"k":{"type":"integer","minimum":1,"maximum":20,"default":3,"description":"greatest number of results"}},"required":["query"],"additionalProperties":false}`},
	{name: "recall", title: "Recall notes", always: true, about: aboutRecall, schema: recallSchema, call: recall},
	{name: "recall_context", title: "Recall notes", alias: "recall", about: "The same as recall.", schema: recallSchema,
		call: recall},
	{name: "remember", title: "Remember", always: true, writes: true, idempotent: true, call: remember,
		about: "Note something that agents on this project should know later. One thing a note; no secrets.",
		schema: `{"type":"object","properties":{"text":{"type":"string"},` +
			`"kind":{"type":"string","description":"decision, convention, fact, procedure, preference, error …"},` +
			rootArg + `},"required":["text","kind"],"additionalProperties":false}`},
	{name: "why", title: "Why is a file found or not", call: why,
		about: "Tell whether a file is in the index, and if not, which rule leaves it out.",
		schema: `{"type":"object","properties":{"path":{"type":"string"},` + rootArg +
			`},"required":["path"],"additionalProperties":false}`},
	{name: "context", title: "Compile a context", writes: true, call: compiled,
		about: "Compile what is known for a task into one text: code, notes, completed tasks, blockers.",
		schema: `{"type":"object","properties":{"task":{"type":"string"},"budget":{"type":"integer","minimum":200,"maximum":8000,"default":1000,"description":"tokens"},` +
			rootArg + `},"required":["task"],"additionalProperties":false}`},
	{name: "report_outcome", title: "Report how a task ended", writes: true, idempotent: true, call: report,
		about: "Record that a task is done, or has failed, for the agents that go on with the project.",
		schema: `{"type":"object","properties":{"task_id":{"type":"string"},"success":{"type":"boolean"},"summary":{"type":"string"},` +
			`"changed_files":{"type":"array","items":{"type":"string"},"maxItems":500},` + rootArg +
			`},"required":["task_id","success"],"additionalProperties":false}`},
}

// sdk is the tool as the SDK lists it.
func (t tool) sdk() *sdk.Tool {
	no := false
	out := &sdk.Tool{Name: t.name, Title: t.title, Description: t.about, InputSchema: json.RawMessage(t.schema),
		Annotations: &sdk.ToolAnnotations{
			ReadOnlyHint: !t.writes, DestructiveHint: &no, IdempotentHint: !t.writes || t.idempotent,
			OpenWorldHint: &no}}
	if t.loaded {
		out.Meta = sdk.Meta{"anthropic/alwaysLoad": true}
	}
	return out
}
