package bridge

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/mcp"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/servers"
)

// maxNotes is the maximum number of notes in the answer of a recall.
const maxNotes = 5

// errNoMemory is returned if the store of memory cannot be opened.
var errNoMemory = errors.New("the notes cannot be opened: the log of contextd tells why")

// Recall implements mcp.Rememberer.
func (b *Bridge) Recall(ctx context.Context, root, query, kind string) (*mcp.Recalled, error) {
	p, f, err := b.resolve(ctx, root)
	if err != nil {
		return nil, err
	}
	a := p.App.Prompts()
	if a.Memory == nil {
		return nil, errNoMemory
	}
	out := recalled{&mcp.Recalled{Roots: f.Roots}}
	var all []prompt.RecalledItem
	var failed error
	for _, dir := range f.Roots {
		project, err := b.project(ctx, p, dir)
		if err != nil {
			return nil, err
		}
		r, err := a.Recall(ctx, prompt.RecallRequest{Agent: b.opts.Agent, Project: project, Query: query,
			MemoryType: kind, Limit: maxNotes})
		if servers.Partial(err) {
			failed = servers.Join(failed, err)
			out.missing(servers.Missing(err))
			continue
		} else if err != nil {
			return nil, err
		}
		out.missing(r.Servers)
		for _, it := range r.Items {
			if !slices.ContainsFunc(all, func(have prompt.RecalledItem) bool { return have.ID == it.ID }) {
				// what is global is found everywhere
				all = append(all, it)
			}
		}
	}
	if !servers.Enough(failed, len(all)) {
		return nil, failed
	}
	slices.SortStableFunc(all, func(x, y prompt.RecalledItem) int { return cmp.Compare(y.Relevance, x.Relevance) })
	for _, it := range all[:min(len(all), maxNotes)] {
		out.Notes = append(out.Notes, mcp.Note{Kind: it.Kind, Scope: it.Scope, Date: it.Date, Text: it.Content,
			Verify: it.Verify})
	}
	return out.Recalled, nil
}

// recalled is a Recalled in the making.
type recalled struct{ *mcp.Recalled }

// missing notes those of several servers that did not answer.
func (r recalled) missing(all []servers.State) {
	for _, s := range all {
		if s.Error != "" && !slices.Contains(r.Down, s.Name) {
			r.Down = append(r.Down, s.Name)
		}
	}
}

// Remember implements mcp.Rememberer. A note is for all agents on the project: those that come by the protocol have no
// names.
func (b *Bridge) Remember(ctx context.Context, root, text, kind string) (*mcp.Remembered, error) {
	p, dir, project, err := b.resolveOne(ctx, root)
	if err != nil {
		return nil, err
	}
	m, err := p.App.Memory()
	if err != nil {
		b.opts.Log.Error("notes not opened", "error", err)
		return nil, errNoMemory
	}
	who := memory.Who{Agent: b.opts.Agent, Project: project}
	saved, err := m.Save(ctx, who, memory.Draft{Kind: kind, Scope: string(memory.ScopeProject), Content: text})
	if err != nil {
		return nil, forAgent(err)
	}
	if p.Told != nil {
		p.Told.Saved(who)
	}
	return &mcp.Remembered{Root: dir, Known: saved.Merged, Redacted: saved.Redacted}, nil
}

// forAgent returns an error of a note without details that the agent does not know.
func forAgent(err error) error {
	var loop *memory.LoopError
	var bad *memory.Invalid
	switch {
	case errors.As(err, &loop):
		return loop
	case errors.As(err, &bad):
		return bad
	}
	return err
}

// Report implements mcp.Rememberer.
func (b *Bridge) Report(ctx context.Context, root string, o mcp.Outcome) error {
	p, _, project, err := b.resolveOne(ctx, root)
	if err != nil {
		return err
	}
	h, err := p.App.History()
	if err != nil {
		b.opts.Log.Error("history not opened", "error", err)
		return errNoMemory
	}
	requires, _ := p.App.Policy.For(project, "")
	t, err := h.Complete(ctx, project,
		history.Task{ID: o.TaskID, Summary: o.Summary, Success: &o.Success, ChangedFiles: o.Files,
			RequiresContext: requires})
	if err == nil && p.Told != nil {
		p.Told.Completed(project, t)
	}
	return err
}

// Why implements mcp.Explainer.
func (b *Bridge) Why(ctx context.Context, root, path string) (retrieve.Verdict, error) {
	p, dir, _, err := b.resolveOne(ctx, root)
	if err != nil {
		return retrieve.Verdict{}, err
	}
	return p.App.Answers.Why(ctx, access.Where{Root: dir}, path)
}

// Context implements mcp.Explainer.
func (b *Bridge) Context(ctx context.Context, root, task string, budget int) (*mcp.Compiled, error) {
	p, dir, _, err := b.resolveOne(ctx, root)
	if err != nil {
		return nil, err
	}
	if err := b.refresh(ctx, p, dir); err != nil {
		return nil, err
	}
	c, err := p.App.Prompts().Build(ctx, prompt.Request{Root: dir, Agent: b.opts.Agent, Query: task,
		BudgetTokens: budget, DeadlineMS: int(queryTime.Milliseconds())})
	if err != nil {
		return nil, err
	}
	if p.Told != nil {
		p.Told.Assembled(c.Event)
	}
	var texts []string
	for _, m := range c.Messages {
		texts = append(texts, strings.TrimSpace(m.Content))
	}
	out := &mcp.Compiled{Root: dir, Text: strings.Join(texts, "\n\n"), ID: c.ID}
	if slices.Contains(c.Reasons, prompt.ReceiptNotStored) {
		out.ID = ""
	}
	if strings.TrimSpace(out.Text) == "" {
		out.Text = "Nothing is known that helps with that: name files, identifiers or a task."
	}
	return out, nil
}
