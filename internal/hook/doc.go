// Package hook answers the hooks of coding agents: what Claude Code and Codex start at moments of a session, with one
// JSON object on standard input.
//
//	UserPromptSubmit    adds the strong and likely code for this prompt, but for what the session's window holds already
//	SessionStart        adds open blockers and what is most important in memory
//	PostToolUse         notes what the agent read, edited or searched for
//	Stop, Interrupt     tells [prompt.Assembler.Feedback] how the pieces were used
//	PreCompact          notes that the window holds nothing any more; SessionStart(compact) too
//	SessionEnd          as Stop, and forgets the session
//
// All other events, and all fields that are not needed, are ignored: an agent of tomorrow sends more. The two agents
// send the same shapes; [Agent] holds what differs.
//
// # Never in the way
//
// A hook stands between a user and an agent. [Run] therefore answers within [Hook.Limit], counted from the start of the
// process, or not at all; whatever fails is a line in a log of bounded size, never an error of the agent. It never
// indexes.
//
// # What is kept of a session
//
// One file for each session in the folder "hook" of the state, mode 0600: lines of JSON that are only ever appended
// ([Journal]). It holds which pieces were given (ids, places, hashes), which files the agent opened and edited, and
// what it searched for without secrets: no prompt, no answer, no code. A process that dies in the midst of a line loses
// that line. Most events only append here, since the agent waits for each of them; feedback goes to the store in one
// piece when a turn is over.
package hook
