package compile

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Takes says which of the found parts of a State an agent is shown: what is not in its scope is not even searched.
type Takes uint8

// The found parts.
const (
	TakesCode Takes = 1 << iota
	TakesMemory
	TakesHistory  // the last tasks
	TakesBlockers //

	TakesAll = TakesCode | TakesMemory | TakesHistory | TakesBlockers
)

// Has reports whether t holds all of part.
func (t Takes) Has(part Takes) bool { return t&part == part }

// Strategy makes the context of one kind of agent. It belongs to the agent: a new kind brings its own, and nothing else
// changes. It is pure, and knows of no other agent.
type Strategy interface {
	Kind() string // lower case
	Takes() Takes
	// Compile makes the context. Without pieces it is the part that must be in. The error says what of the state is
	// missing.
	Compile(State) (*Context, error)
}

// What a state can lack.
var (
	ErrNoTask = errors.New("no current task")
	ErrNoText = errors.New("nothing to work on: want an issue, a design document or a task")
)

// DefaultKind is the agent that nothing is known of.
const DefaultKind = "default"

// Registry holds the known strategies by kind.
type Registry map[string]Strategy

// NewRegistry holds the strategies of this package and those of more agents, which replace others of their kind.
func NewRegistry(more ...Strategy) Registry {
	r := Registry{}
	for _, a := range agents {
		r[a.kind] = a
	}
	for _, s := range more {
		r[s.Kind()] = s
	}
	return r
}

// UnknownAgentError is returned for a kind of agent without a strategy.
type UnknownAgentError struct {
	Kind  string
	Known []string
}

func (e *UnknownAgentError) Error() string {
	return fmt.Sprintf("agent kind %q is not known: want one of %s", e.Kind, strings.Join(e.Known, ", "))
}

// For is the strategy of a kind, "" meaning DefaultKind.
func (r Registry) For(kind string) (Strategy, error) {
	kind = cmp.Or(kind, DefaultKind)
	if s, ok := r[kind]; ok {
		return s, nil
	}
	return nil, &UnknownAgentError{Kind: kind, Known: r.Kinds()}
}

// Kinds lists the known kinds by name.
func (r Registry) Kinds() []string { return slices.Sorted(maps.Keys(r)) }
