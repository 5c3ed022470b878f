package backend

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

func (s *several) of(index string) *Backend { return s.each[s.set.Of(code.ProjectOf(index))] }

// severalIndexes is a search.Index on several servers. Where some do not answer, the error of a question about all
// projects is a *servers.Fault, beside what the others have.
type severalIndexes struct{ *several }

var _ search.Index = severalIndexes{}

func (x severalIndexes) index(id string) search.Index { return x.of(id).Index }

// Mode is the least that one of the servers can search; see [search.ModeOf] for the project's own.
func (x severalIndexes) Mode(ctx context.Context) (search.Mode, error) {
	modes, err := ask(ctx, x.several, func(ctx context.Context, b *Backend) (search.Mode, error) {
		return b.Index.Mode(ctx)
	})
	if slices.Contains(modes, search.Names) {
		return search.Names, err
	}
	return search.Full, err
}

// ModeOf implements search.ModeOf.
func (x severalIndexes) ModeOf(ctx context.Context, project string) (search.Mode, error) {
	return x.index(project).Mode(ctx)
}

// Projects lists the projects on the servers that they belong to. One whose record lies on another server only, as
// after the list of servers has changed, is listed as one of which nothing is indexed yet: a comparison indexes it.
func (x severalIndexes) Projects(ctx context.Context) ([]search.Project, error) {
	lists, err := askEach(ctx, x.several, func(ctx context.Context, b *Backend) ([]search.Project, error) {
		return b.Index.Projects(ctx)
	})
	var all []search.Project
	known := map[string]bool{}
	for i, list := range lists {
		for _, p := range list {
			if x.of(p.ID) == x.each[i] {
				all = append(all, p)
				known[p.ID] = true
			}
		}
	}
	for _, list := range lists {
		for _, p := range list {
			if !known[p.ID] {
				all = append(all, search.Project{ID: p.ID, Root: p.Root})
				known[p.ID] = true
			}
		}
	}
	slices.SortFunc(all, func(a, b search.Project) int { return cmp.Compare(a.ID, b.ID) })
	return all, err
}

func (x severalIndexes) Open(ctx context.Context, project string) (search.Snapshot, error) {
	return x.index(project).Open(ctx, project)
}

func (x severalIndexes) Writer(ctx context.Context, spec search.Spec) (search.Writer, error) {
	return x.index(spec.Project).Writer(ctx, spec)
}

func (x severalIndexes) Confirm(ctx context.Context, project string, at time.Time) error {
	return x.index(project).Confirm(ctx, project, at)
}

func (x severalIndexes) Fail(ctx context.Context, project, reason string) error {
	return x.index(project).Fail(ctx, project, reason)
}

func (x severalIndexes) Attach(ctx context.Context, project, kind string, blob []byte) error {
	return x.index(project).Attach(ctx, project, kind, blob)
}

func (x severalIndexes) Attached(ctx context.Context, project, kind string) ([]byte, error) {
	return x.index(project).Attached(ctx, project, kind)
}

// Remove removes a project from its own server first, and what other servers have of it.
func (x severalIndexes) Remove(ctx context.Context, project string, wait time.Duration) error {
	err := x.index(project).Remove(ctx, project, wait)
	if err != nil && !errors.Is(err, search.ErrNoProject) {
		return err
	}
	var removed atomic.Bool
	_ = x.tell(ctx, func(ctx context.Context, b *Backend) error {
		if x.of(project) != b && b.Index.Remove(ctx, project, wait) == nil {
			removed.Store(true)
		}
		return nil // a server that is down stops nothing: what it has comes back as a project to index, and is said then
	})
	if removed.Load() {
		return nil
	}
	return err
}

// Check looks whether all of a project's index is there.
func (x severalIndexes) Check(ctx context.Context, project string) error {
	if c, ok := x.index(project).(interface {
		Check(ctx context.Context, project string) error
	}); ok {
		return c.Check(ctx, project)
	}
	return nil
}

// Inspect implements search.Inspector. What lies on a server that is not its own is no fault of it.
func (x severalIndexes) Inspect(ctx context.Context) ([]search.Fault, error) {
	lists, err := ask(ctx, x.several, func(ctx context.Context, b *Backend) ([]search.Fault, error) {
		return b.Inspect(ctx)
	})
	var all []search.Fault
	for i, list := range lists {
		for _, f := range list {
			if x.of(f.Project) == x.each[i] {
				all = append(all, f)
			}
		}
	}
	return all, err
}

// Close leaves the servers to the Backend.
func (x severalIndexes) Close() error { return nil }
