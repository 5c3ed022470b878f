package prompt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/secret"
	"github.com/contextd/contextd/internal/store"
	"github.com/contextd/contextd/internal/usage"
)

// Feedback learns from how a context was used, or a part of that, and tells what became of it so far. What was
// remembered and used becomes more important. The error is store.ErrNotFound for an id that is unknown.
func (a *Assembler) Feedback(ctx context.Context, id string, f Feedback) (*usage.Report, error) {
	if a.Usage == nil {
		return nil, errNoStore
	}
	r, err := a.Receipt(ctx, id)
	if err != nil {
		return nil, err
	}
	f.Searched = slices.Clone(f.Searched)
	for i, q := range f.Searched {
		if f.Searched[i], _, err = secret.RedactWithin(ctx, q); err != nil {
			return nil, fmt.Errorf("learn from %q: %w", id, err)
		}
	}
	said := usage.Feedback{Response: f.Response, Opened: f.Opened, Edited: f.Edited, Searched: f.Searched,
		Followed: f.Followed, Done: f.Done}
	report, err := a.Usage.Finish(ctx, r.Project, id, said)
	if errors.Is(err, store.ErrNotFound) && !slices.ContainsFunc(r.Items, func(l receipt.Line) bool {
		return l.Decision != receipt.Dropped
	}) {
		// A context without pieces begins no turn until there is something to learn from it: what it missed.
		if err = a.Usage.Begin(ctx, r.Project,
			usage.Turn{ID: id, At: r.At, Agent: r.Agent, AgentKind: r.AgentKind, Profile: r.Profile}); err == nil {
			report, err = a.Usage.Finish(ctx, r.Project, id, said)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("learn from %q: %w", id, err)
	}
	if a.Memory != nil {
		var fresh []string
		for _, x := range r.Items {
			known := r.Outcome != nil && slices.Contains(r.Outcome.Used, x.ID)
			if strings.HasPrefix(x.Source, "memory:") && slices.Contains(report.Used, x.ID) && !known {
				fresh = append(fresh, x.ID)
			}
		}
		if len(fresh) > 0 {
			_, err = a.Memory.Touch(ctx, memory.Who{Agent: r.Agent, Project: r.Project}, fresh...)
			if err != nil && !errors.Is(err, memory.ErrNotFound) && !errors.Is(err, store.ErrNotFound) {
				// forgotten meanwhile
				return nil, fmt.Errorf("note what %q used: %w", id, err)
			}
		}
	}
	return &report, nil
}
