package backend

import (
	"context"
	"slices"

	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/servers"
)

// HeldRoots are the watched roots that daemons hold back while some of several servers do not answer: no server that
// answers has them as a project, so each may be one of a server that does not. With all servers up there are none.
func (b *Backend) HeldRoots(ctx context.Context) ([]string, error) {
	known, fault := b.Index.Projects(ctx)
	if !servers.Partial(fault) {
		return nil, fault
	}
	daemons, err := b.Daemons(ctx)
	if err != nil {
		return nil, err
	}
	var held []string
	for _, d := range daemons {
		for _, root := range d.Watched {
			if !slices.ContainsFunc(known, func(p search.Project) bool { return p.Root == root }) {
				held = append(held, root)
			}
		}
	}
	slices.Sort(held)
	return slices.Compact(held), nil
}

// Partly is why a process that serves several servers is not ready for all that they hold, though it serves the rest:
// some do not answer.
type Partly struct {
	*servers.Fault
	Held int // watched roots that wait for them
}

// Ready is the error of asking all servers, with what waits for those of several that do not answer.
func (b *Backend) Ready(ctx context.Context, fault error) error {
	f := asFault(fault)
	if f == nil || f.Whole() {
		return fault
	}
	held, err := b.HeldRoots(ctx)
	if err != nil {
		b.opts.Log.Debug("roots that are held back not known", "error", err)
	}
	return &Partly{f, len(held)}
}

// Unwrap is the fault of the servers.
func (p *Partly) Unwrap() error { return p.Fault }

// Body is what readiness tells beside the error.
func (p *Partly) Body() map[string]any {
	body := map[string]any{"servers": p.States()}
	if p.Held > 0 {
		body["held_back"] = p.Held
	}
	return body
}
