package memory

import (
	"slices"
	"strings"
	"time"
)

// Kind says what an item is about. It is lower case; [ParseKind] takes any case, so that the design's TASK and
// TEST_RESULT are task and test_result.
type Kind string

// day is the unit of ages.
const day = 24 * time.Hour

// Trait is what holds for all items of a kind.
type Trait struct {
	Kind   Kind
	Weight float64 // in [0,1]: importance of a new item
	Past   float64 // the same, once the task of the item is not the current one any more; for items of scope task
	Days   float64 // after so many days without use, importance is 1/e of that
	Exact  bool    // text in which case and white space matter: duplicates are compared as they stand
	For    string  // what it is for
}

// Traits is the table of kinds, heaviest first: from the current task (1.0) to the error of an old one (.3). What is
// true for long, whatever the task (conventions, preferences, decisions), fades slowly, what is true for an hour
// (results, errors) fast. The weights of the code-like kinds stand a little above the border of HOT (.8), so that they
// are loaded for some hours and then fade to WARM unless they are used.
var Traits = []Trait{
	{"task", 1, .5, 7, false, "what is to be done"},
	{"task_input", 1, .4, 3, false, "what was handed over for one task"},
	{"prd_section", .9, .6, 30, false, "a part of the requirements"},
	{"plan", .9, .5, 14, false, "how it is to be done"},
	{"decision", .9, .9, 90, false, "what was decided, and why"},
	{"error", .9, .3, 2, true, "an error as it was met"},
	{"code", .85, .4, 7, true, "a piece of code"},
	{"failure", .85, .4, 7, false, "what did not work"},
	{"test_result", .85, .35, 2, true, "what tests said"},
	{"convention", .85, .85, 180, false, "how things are done here"},
	{"preference", .85, .85, 180, false, "what the user wants"},
	{"fact", .7, .7, 60, false, "what is so"},
	{"procedure", .7, .7, 90, false, "how to do something"},
	{"pattern", .7, .7, 120, false, "what comes again and again"},
	{"review", .7, .4, 14, false, "what a review found"},
	{"summary", .6, .5, 30, false, "what happened, in short"},
	{"test", .6, .4, 14, true, "a test"},
	{"reasoning", .5, .3, 7, false, "why something was done"},
	{"episode", .5, .4, 30, false, "what happened once"},
	{"tool_output", .5, .3, 2, true, "what a tool printed"},
	{"conversation", .4, .3, 2, false, "what was said"},
	{"verbose_log", .3, .3, 1, true, "a log"},
}

// traits finds a Trait by its kind.
var traits = func() map[Kind]*Trait {
	m := make(map[Kind]*Trait, len(Traits))
	for i := range Traits {
		m[Traits[i].Kind] = &Traits[i]
	}
	return m
}()

// ParseKind reads a kind in any case. The error names the known ones.
func ParseKind(s string) (Kind, error) {
	k := Kind(strings.ToLower(strings.TrimSpace(s)))
	if traits[k] == nil {
		return "", invalid("kind", s, "one of "+list(Kinds()))
	}
	return k, nil
}

// Kinds lists the known kinds by name.
func Kinds() []Kind {
	all := make([]Kind, 0, len(Traits))
	for _, t := range Traits {
		all = append(all, t.Kind)
	}
	slices.Sort(all)
	return all
}

// Scope says who sees an item.
type Scope string

// The scopes.
const (
	ScopeTask    Scope = "task"    // only the agent that wrote it
	ScopeProject Scope = "project" // all agents that work on the project
	ScopeGlobal  Scope = "global"  // all agents
)

// Scopes lists the scopes, the nearest first.
func Scopes() []Scope { return []Scope{ScopeTask, ScopeProject, ScopeGlobal} }

// ParseScope reads a scope in any case; "" is ScopeTask.
func ParseScope(s string) (Scope, error) {
	sc := Scope(strings.ToLower(strings.TrimSpace(s)))
	if sc == "" {
		return ScopeTask, nil
	}
	if !slices.Contains(Scopes(), sc) {
		return "", invalid("scope", s, "one of "+list(Scopes()))
	}
	return sc, nil
}

// list is a list of names for an error.
func list[T ~string](names []T) string {
	var b strings.Builder
	for i, n := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(n))
	}
	return b.String()
}

// spoken reports whether items of a kind are turns of a conversation.
func (k Kind) spoken() bool { return k == "conversation" || k == "episode" }
