package agents

import (
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/confedit"
)

// Part is one thing that is installed.
type Part string

// The parts.
const (
	MCP          Part = "mcp"          // the server among the agent's MCP servers
	Hook         Part = "hook"         // the hooks that call "retriever hook"
	Skill        Part = "skill"        // files that teach the command line
	Instructions Part = "instructions" // a marked section in the agent's file of instructions
)

// Parts are all parts in the order of their installation.
func Parts() []Part { return []Part{MCP, Hook, Skill, Instructions} }

// Scope says for whom something is installed.
type Scope string

// The scopes.
const (
	User    Scope = "user"
	Project Scope = "project"
)

// Form is how a file is edited.
type Form string

// The forms.
const (
	JSON  Form = "json"  // JSON, with comments or without: a member
	Hooks Form = "hooks" // JSON: elements in lists of hooks
	TOML  Form = "toml"  // a table
	Block Form = "block" // lines between marks
	Whole Form = "whole" // a file of our own
)

// Server is the name of our MCP server in every file.
const Server = "contextd"

// Target is where one part goes.
type Target struct {
	Part  Part
	Scope Scope
	Files []string // patterns for Env.Expand: the first that exists, else the first
	Form  Form
	Key   []string // where in the file; Hooks: the object that holds the lists
	Shape Shape    // of an MCP server's entry
	Text  string   // of Block and Whole
	Event []Event  // of Hooks
}

// Event is an event that our hook wants to hear of.
type Event struct {
	Name    string
	Matcher string // which tools; "": all, or the event has none
}

// Agent is one coding agent.
type Agent struct {
	ID       string
	Name     string
	Programs []string // on the PATH
	Folders  []string // patterns; one that exists shows that the agent was used here
	Targets  []Target
}

// TargetsFor returns the agent's targets of a part and a scope.
func (a Agent) TargetsFor(part Part, scope Scope) []Target {
	var list []Target
	for _, t := range a.Targets {
		if t.Part == part && t.Scope == scope {
			list = append(list, t)
		}
	}
	return list
}

// ByID finds an agent.
func ByID(id string) (Agent, bool) {
	i := slices.IndexFunc(table, func(a Agent) bool { return a.ID == id })
	if i < 0 {
		return Agent{}, false
	}
	return table[i], true
}

// All are the known agents.
func All() []Agent { return slices.Clone(table) }

// IDs are those of all agents.
func IDs() []string {
	var ids []string
	for _, a := range table {
		ids = append(ids, a.ID)
	}
	return ids
}

// Shape is how an agent writes the entry of an MCP server.
type Shape string

// The shapes.
const (
	Stdio   Shape = "stdio"   // type, command, args
	Plain   Shape = "plain"   // command, args
	List    Shape = "list"    // one list of command and arguments
	Copilot Shape = "copilot" // type local, and the tools that are allowed
	Nested  Shape = "nested"  // under "transport"
)

// Entry is the entry of the server that command and args start.
func (s Shape) Entry(command string, args ...string) confedit.Object {
	var list []any
	for _, a := range args {
		list = append(list, a)
	}
	plain := confedit.Object{{Key: "command", Value: command}, {Key: "args", Value: list}}
	switch s {
	case Stdio:
		return append(confedit.Object{{Key: "type", Value: "stdio"}}, plain...)
	case List:
		return confedit.Object{{Key: "type", Value: "local"}, {Key: "command", Value: append([]any{command}, list...)},
			{Key: "enabled", Value: true}}
	case Copilot:
		return append(append(confedit.Object{{Key: "type", Value: "local"}}, plain...),
			confedit.Member{Key: "tools", Value: []any{"*"}})
	case Nested:
		return confedit.Object{{Key: "transport",
			Value: append(confedit.Object{{Key: "type", Value: "stdio"}}, plain...)}}
	}
	return plain
}

// Command is the command line of an entry that was read from a file, whatever its shape; nil if it holds none.
func Command(entry any) []string {
	m, _ := entry.(map[string]any)
	if t, ok := m["transport"].(map[string]any); ok {
		m = t
	}
	var argv []string
	add := func(v any) bool {
		switch v := v.(type) {
		case string:
			argv = append(argv, v)
		case []any:
			for _, x := range v {
				s, ok := x.(string)
				if !ok {
					return false
				}
				argv = append(argv, s)
			}
		case nil:
		default:
			return false
		}
		return true
	}
	if !add(m["command"]) || len(argv) == 0 || !add(m["args"]) {
		return nil
	}
	return argv
}

// HookLine is the command line of a hook entry for an agent: a shell reads it.
func HookLine(goos, command, agent string) string {
	return quoteWord(goos, command) + " hook " + agent
}

// HookCommand is the binary of a command line that HookLine wrote for agent; ok false: it is another hook.
func HookCommand(line, agent string) (command string, ok bool) {
	word, ok := strings.CutSuffix(line, " hook "+agent)
	if !ok || word == "" {
		return "", false
	}
	switch q := word[0]; {
	case len(word) > 1 && q == '\'' && word[len(word)-1] == q:
		word = strings.ReplaceAll(word[1:len(word)-1], `'\''`, "'")
	case len(word) > 1 && q == '"' && word[len(word)-1] == q:
		word = word[1 : len(word)-1]
	case strings.ContainsAny(word, " \t"):
		return "", false
	}
	return word, IsRetriever(word)
}

// IsRetriever reports whether a path ends in the name of our binary, on any system.
func IsRetriever(path string) bool {
	name := strings.ToLower(path[strings.LastIndexAny(path, `/\`)+1:])
	return strings.TrimSuffix(name, ".exe") == "retriever"
}

func quoteWord(goos, word string) string {
	plain := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("_-./:@%+=,", r))
	}
	switch {
	case !strings.ContainsFunc(word, plain):
		return word
	case goos == "windows":
		return `"` + word + `"` // a name there holds no quotation mark
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
