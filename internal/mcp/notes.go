package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/contextd/contextd/internal/render"
	"github.com/contextd/contextd/internal/safetext"
)

// noteBytes is how much of one note is shown where they do not all fit.
const noteBytes = 1200

func recall(ctx context.Context, e Engine, args json.RawMessage) (string, error) {
	var a struct {
		Query string `json:"query"`
		Type  string `json:"type"`
		Root  string `json:"root"`
	}
	if err := decode(args, &a); err != nil {
		return "", err
	}
	if err := cmp.Or(text("query", a.Query, maxQuery), line("type", a.Type, maxName),
		line("root", a.Root, maxPath)); err != nil {
		return "", err
	}
	r, err := e.Recall(ctx, a.Root, a.Query, a.Type)
	if err != nil {
		return "", err
	}
	return r.text(), nil
}

// text are the notes for the model.
func (r *Recalled) text() string {
	roots := make([]string, len(r.Roots))
	for i, root := range r.Roots {
		roots[i] = place(root)
	}
	p := &page{limit: MaxText - 200}
	p.add(fmt.Sprintf("Root: %s (%s)\n", safetext.Cut(strings.Join(roots, ", "), 600), render.Plural(len(r.Notes), "note")))
	shown := 0
	for _, n := range r.Notes {
		head := fmt.Sprintf("\n%d. %s, %s", shown+1, safetext.Line(n.Kind), safetext.Line(n.Scope))
		if n.Date != "" {
			head += ", " + safetext.Line(n.Date)
		}
		if n.Verify {
			head += " (to be checked: what it speaks of has changed)"
		}
		body := safetext.Text(n.Text)
		if len(body) > noteBytes {
			body = safetext.Cut(body, noteBytes) + " …"
		}
		if !p.add(head + "\n" + render.Fence(body, "text")) {
			break
		}
		shown++
	}
	p.limit = MaxText
	if len(r.Down) > 0 {
		p.add("\nIncomplete: the store's server " + safetext.Line(strings.Join(r.Down, ", ")) +
			" did not answer; what it holds is missing here.\n")
	}
	switch {
	case len(r.Notes) == 0:
		p.add("\nNothing is noted about that: try other words, leave out type, or look into the code with search_code.\n")
	case shown < len(r.Notes):
		p.add(fmt.Sprintf("\nMore: %d of %s shown, for want of room; a narrower query shows others.\n", shown,
			render.Plural(len(r.Notes), "note")))
	default:
		p.add("\nMore: other words or a type find other notes.\n")
	}
	return p.b.String()
}

func remember(ctx context.Context, e Engine, args json.RawMessage) (string, error) {
	var a struct {
		Text string `json:"text"`
		Kind string `json:"kind"`
		Root string `json:"root"`
	}
	if err := decode(args, &a); err != nil {
		return "", err
	}
	if err := cmp.Or(text("text", a.Text, maxNote), text("kind", a.Kind, maxName), line("kind", a.Kind, maxName),
		line("root", a.Root, maxPath)); err != nil {
		return "", err
	}
	r, err := e.Remember(ctx, a.Root, a.Text, a.Kind)
	if err != nil {
		return "", err
	}
	what := "Noted for all agents on this project."
	if r.Known {
		what = "It was noted already, and counts for more now."
	}
	if len(r.Redacted) > 0 {
		what += " Secrets in it were replaced: " + safetext.Line(strings.Join(r.Redacted, ", ")) + "."
	}
	return fmt.Sprintf("Root: %s\n%s\n", place(r.Root), what), nil
}

func report(ctx context.Context, e Engine, args json.RawMessage) (string, error) {
	var a struct {
		TaskID  string   `json:"task_id"`
		Success *bool    `json:"success"`
		Summary string   `json:"summary"`
		Files   []string `json:"changed_files"`
		Root    string   `json:"root"`
	}
	if err := decode(args, &a); err != nil {
		return "", err
	}
	problems := []error{text("task_id", a.TaskID, maxName), line("task_id", a.TaskID, maxName),
		optional("summary", a.Summary, maxNote), line("root", a.Root, maxPath)}
	if a.Success == nil {
		problems = append(problems, &argError{"success", "true or false"})
	}
	if len(a.Files) > 500 {
		problems = append(problems, &argError{"changed_files", "at most 500 paths"})
	}
	for _, f := range a.Files {
		problems = append(problems, line("changed_files", f, maxPath))
	}
	if err := cmp.Or(problems...); err != nil {
		return "", err
	}
	if err := e.Report(ctx, a.Root, Outcome{a.TaskID, *a.Success, a.Summary, a.Files}); err != nil {
		return "", err
	}
	return fmt.Sprintf("Task %q is recorded.\n", safetext.Line(a.TaskID)), nil
}
