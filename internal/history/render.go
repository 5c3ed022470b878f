package history

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/safetext"
	"github.com/contextd/contextd/internal/secret"
)

// DefaultWindow is how many tasks go into a prompt.
const DefaultWindow = 5

// State is the working memory of a project. What it refers to is shared: it is to be read only.
type State struct {
	Project  string
	Tasks    []Task    // in the order of recording
	Blockers []Blocker // oldest first
	Skipped  []string  // documents that could not be read, each with the reason

	rest fields // of an imported state
	last int64  // the last task's seq
}

// For is the state for a task whose request says so of requires_context: nothing if it says false, all if true or nil.
func (s State) For(requiresContext *bool) State {
	if requiresContext != nil && !*requiresContext {
		return State{Project: s.Project}
	}
	return s
}

// Window is the state with the last n tasks only; n below 1 means DefaultWindow.
func (s State) Window(n int) State {
	if n < 1 {
		n = DefaultWindow
	}
	s.Tasks = s.Tasks[max(0, len(s.Tasks)-n):]
	return s
}

// OfType is the state with the tasks of one type only; "" means all.
func (s State) OfType(kind string) State {
	if kind != "" {
		clean, _ := secret.Redact(kind) // as it was recorded
		s.Tasks = slices.DeleteFunc(slices.Clone(s.Tasks), func(t Task) bool {
			return t.Type != kind && t.Type != clean
		})
	}
	return s
}

// Render is the state as it goes into a prompt, the oldest task first, as time goes; "" if there is nothing. What tasks
// and blockers say is made harmless: it cannot end its line or its quotes.
//
//	## Recent Task History
//	1. task-041: "Fix the build" (completed: 2026-01-02T02:04:05Z, ✗ failed)
//	2. task-042: "Add the login page" (completed: 2026-01-02T03:04:05Z, ✓ success)
//
//	## Active Blockers
//	- task-043: "waits for the key" (blocked: 2026-01-02T03:10:00Z)
func (s State) Render() string {
	var b strings.Builder
	if len(s.Tasks) > 0 {
		b.WriteString("## Recent Task History\n")
		for i, t := range s.Tasks {
			fmt.Fprintf(&b, "%d. %s\n", i+1, t.Lines())
		}
	}
	if len(s.Blockers) > 0 {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("## Active Blockers\n")
		for _, blocker := range s.Blockers {
			fmt.Fprintf(&b, "- %s\n", blocker.Line())
		}
	}
	return b.String()
}

// Aim says what the task was for, whatever its toggle: for a search, not to be shown.
func (t Task) Aim() string { return t.intent }

// Lines is the task as it stands in a prompt: its line, and while its toggle is on its summary below.
func (t Task) Lines() string {
	if !t.RequiresContext || t.summary == "" {
		return t.Line()
	}
	return t.Line() + "\n   Summary: " + quote(t.summary)
}

// Line is the task's line in a prompt, without its number.
func (t Task) Line() string {
	mark := map[Outcome]string{Succeeded: "✓ success", Failed: "✗ failed", Unknown: "outcome unknown"}[t.Outcome()]
	said := ""
	if t.intent != "" {
		said = ": " + quote(t.intent)
	}
	return fmt.Sprintf("%s%s (completed: %s, %s)", safetext.Line(t.ID), said, stamp(t.CompletedAt), mark)
}

// Line is the blocker's line in a prompt, without its bullet.
func (b Blocker) Line() string {
	return fmt.Sprintf("%s: %s (blocked: %s)", safetext.Line(b.ID), quote(b.Reason), stamp(b.BlockedAt))
}

func quote(text string) string {
	return `"` + strings.ReplaceAll(safetext.Line(text), `"`, `\"`) + `"`
}

// stamp is a time to the second; one that an old state did not have is unknown.
func stamp(at time.Time) string {
	if at.IsZero() {
		return "unknown"
	}
	return at.UTC().Format(time.RFC3339)
}
