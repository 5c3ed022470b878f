// Package prompt makes the context of one call of an agent: from a task to a finished, explained prompt.
//
// It is the one flow over all stages: intent reads the text, a profile and a policy say what is wanted, code, memory
// and history are asked side by side under one deadline, what is chosen is held against the conversation, fitted into
// the budget, compiled by the agent's strategy, and accounted for in a receipt. A source that fails makes the reply a
// degraded one with a typed reason, never an error; an error means that the request cannot be: an unknown agent, a
// budget below what must be in.
package prompt
