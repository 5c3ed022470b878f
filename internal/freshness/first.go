package freshness

import (
	"context"
	"errors"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/eviction"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/waits"
)

// Prepare makes the index of a target ready for a question that follows with Never, as Ready does with First: on the
// embedded backing alone. The notes are to be said against the answer.
func (k *Keeper) Prepare(ctx context.Context, t access.Target, deadline time.Duration, progress func(done, total int)) ([]Note, error) {
	if !k.embedded() {
		return nil, nil
	}
	_, notes, err := k.prepare(ctx, t, deadline, progress)
	return notes, err
}

// prepare makes the embedded index equal to the disk, unless a daemon does that or another process is at it.
func (k *Keeper) prepare(ctx context.Context, t access.Target, deadline time.Duration, progress func(done, total int)) (coverage, []Note, error) {
	c := k.coverage(ctx, t.Project, t.Root)
	if c == watches {
		return c, nil, nil
	}
	notes, err := k.refreshFirst(ctx, t, deadline, progress)
	return c, notes, err
}

// refreshFirst is prepare where no daemon watches the root.
func (k *Keeper) refreshFirst(ctx context.Context, t access.Target, deadline time.Duration, progress func(done, total int)) ([]Note, error) {
	report, err := k.refresh(ctx, t, ingest.Request{Wait: deadline / 2, Progress: progress})
	if err == nil {
		k.deferGitHistory(t)
	}
	var locked *search.LockedError
	var partial *partialError
	switch {
	case err == nil && report.Project.Rebuilt:
		return []Note{Rebuilt}, nil
	case err == nil:
		return nil, nil
	case errors.As(err, &locked):
		return k.await(ctx, t, deadline, Waits), nil
	case ctx.Err() != nil:
		return nil, err
	case errors.As(err, &partial):
		k.log.Warn("indexed without vectors", "project", t.IndexID(), "error", err)
		return []Note{NoVectors}, nil
	}
	if snap, openErr := k.store.Index.Open(ctx, t.IndexID()); openErr == nil { // an older answer is better than none
		k.log.Warn("not refreshed", "project", t.IndexID(), "error", err)
		return []Note{Stale}, snap.Close()
	}
	return nil, err
}

// partialError is a run that ended with an index of words alone, because the embedder failed.
type partialError struct{ error }

func (e *partialError) Unwrap() error { return e.error }

// refresh makes the index of a project equal to the disk, as far as r asks for, and takes what waited for that from the
// queue.
func (k *Keeper) refresh(ctx context.Context, t access.Target, r ingest.Request) (*ingest.Report, error) {
	settle := k.settler(ctx, t)
	r.Project, r.Root, r.KeepEmbedder = t.IndexID(), t.Root, true
	report, err := k.in.Refresh(ctx, r)
	switch {
	case err != nil && report != nil:
		return nil, &partialError{err}
	case err != nil:
		return nil, err
	}
	if !report.Unfinished {
		settle()
	}
	if report.Added+report.Changed > 0 {
		if err := k.store.Evict(ctx, t.IndexID(), eviction.Client); err != nil {
			k.log.Warn("state not kept within its limit", "error", err)
		}
	}
	return report, nil
}

// await waits, where there is no generation yet, for whoever makes the first one, until the deadline. old is what is to
// be said of one that is there at once.
func (k *Keeper) await(ctx context.Context, t access.Target, deadline time.Duration, old ...Note) []Note {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	defer waits.Begin(ctx)()
	there := poll(ctx, pollFirst, func() bool {
		if _, err := k.record(ctx, t.IndexID()); err != nil {
			old = nil
			return false
		}
		return true
	})
	if !there {
		old = []Note{Building}
	}
	return old
}

// settler notes what waits for a project now; the function it returns takes that from the queue, for it is done.
func (k *Keeper) settler(ctx context.Context, t access.Target) func() {
	nothing := func() {}
	if _, any, err := k.waitsFor(ctx, t); err != nil || !any {
		return nothing
	}
	q, err := k.store.Queue()
	if err != nil {
		return nothing
	}
	mark, err := q.Mark(ctx)
	if err != nil {
		return nothing
	}
	return func() {
		if err := q.DropUntil(ctx, t.IndexID(), t.Root, mark); err != nil {
			k.log.Warn("queue not settled", "project", t.IndexID(), "error", err)
		}
	}
}
