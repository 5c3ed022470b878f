package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// MaxInput bounds the JSON of one event, in bytes. A tool may have answered with more: such an event is not counted.
const MaxInput = 1 << 20

// Agent is a kind of agent by the name that the command line and receipts have.
type Agent string

// The agents whose hooks are known.
const (
	ClaudeCode Agent = "claude-code"
	Codex      Agent = "codex"
)

// Agents are all of them.
var Agents = []Agent{ClaudeCode, Codex}

// ParseAgent is the agent of a name.
func ParseAgent(name string) (Agent, error) {
	if i := slices.Index(Agents, Agent(name)); i >= 0 {
		return Agents[i], nil
	}
	return "", fmt.Errorf("hook %q: want one of %v", name, Agents)
}

// Event is what an agent says at one moment. What is not in its JSON is zero.
type Event struct {
	Name      string // UserPromptSubmit, Stop …
	Session   string
	SubAgent  string // id of the sub-agent that it is about
	Dir       string // working directory
	Prompt    string // UserPromptSubmit
	Source    string // SessionStart: startup, resume, clear, compact, fork
	Answer    string // Stop: the agent's last message
	Tool      string // PostToolUse
	ToolInput json.RawMessage
	ToolReply json.RawMessage
}

// errInput tells of JSON that is no event.
var errInput = errors.New("want one JSON object with hook_event_name")

// Read reads the event at the start of r. It does not wait for the end of r.
func Read(r io.Reader) (e Event, err error) {
	var raw struct {
		Name      jsonString      `json:"hook_event_name"`
		Session   jsonString      `json:"session_id"`
		SubAgent  jsonString      `json:"agent_id"`
		Dir       jsonString      `json:"cwd"`
		Prompt    jsonString      `json:"prompt"`
		Source    jsonString      `json:"source"`
		Answer    jsonString      `json:"last_assistant_message"`
		Tool      jsonString      `json:"tool_name"`
		ToolInput json.RawMessage `json:"tool_input"`
		ToolReply json.RawMessage `json:"tool_response"`
	}
	in := &io.LimitedReader{R: r, N: MaxInput + 1}
	if err := json.NewDecoder(in).Decode(&raw); err != nil {
		if in.N <= 0 {
			return e, fmt.Errorf("read the event: more than %d bytes", MaxInput)
		}
		return e, fmt.Errorf("read the event: %w", errInput)
	}
	if raw.Name == "" {
		return e, fmt.Errorf("read the event: %w", errInput)
	}
	return Event{Name: string(raw.Name), Session: string(raw.Session), SubAgent: string(raw.SubAgent),
		Dir: string(raw.Dir), Prompt: string(raw.Prompt), Source: string(raw.Source), Answer: string(raw.Answer),
		Tool: string(raw.Tool), ToolInput: raw.ToolInput, ToolReply: raw.ToolReply}, nil
}

// jsonString is a string of JSON; anything else counts as "".
type jsonString string

// UnmarshalJSON implements [json.Unmarshaler].
func (t *jsonString) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		*t = jsonString(s)
	}
	return nil
}
