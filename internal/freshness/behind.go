package freshness

import (
	"context"
	"errors"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/search"
)

const (
	restFactor = 100         // a run behind an answer that took t is not repeated within restFactor × t
	restLeast  = time.Second // nor within this
)

// behind brings the index up to date behind the answer, unless a daemon does. Where there is no generation yet it waits
// for the first one within the deadline.
func (k *Keeper) behind(ctx context.Context, t access.Target, deadline time.Duration) (coverage, []Note) {
	c := k.coverage(ctx, t.Project, t.Root)
	if c == watches {
		return c, nil
	}
	if _, err := k.record(ctx, t.IndexID()); err == nil {
		notes, _ := k.compare(ctx, t, deadline, c)
		return c, notes
	}
	if !k.Start(t, false) {
		return c, nil
	}
	return c, k.await(ctx, t, deadline*3/4) // the rest is for the answer
}

// pace is how the runs of one project follow each other.
type pace struct {
	running bool
	again   bool      // something came in the midst of the run: another has to follow
	after   time.Time // when the next may begin
}

// Start begins a run behind an answer, unless one is at it or has been only just now. must: something is known to have
// changed, so there is no rest before it, and a run that is at it is followed by another. It reports whether a run is
// under way or about to be, and does nothing for a root that may not be indexed here.
func (k *Keeper) Start(t access.Target, must bool) bool {
	if !k.embedded() || t.Root == "" || !k.access.May(t.Root) {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	p := k.next[t.IndexID()]
	switch {
	case k.shut:
		return false
	case p.running:
		p.again = p.again || must
		k.next[t.IndexID()] = p
		return true
	case !must && time.Now().Before(p.after):
		return false
	}
	k.next[t.IndexID()] = pace{running: true}
	k.runs.Go(func() {
		for k.run(t) {
		}
	})
	return true
}

// run is one run behind an answer. It reports whether another has to follow at once.
func (k *Keeper) run(t access.Target) (again bool) {
	began := time.Now()
	report, err := k.refresh(k.ctx, t, ingest.Request{Slice: true})
	if err == nil {
		k.keepHistory(k.ctx, t)
		if report.Rebuild {
			r := ingest.Request{Project: t.IndexID(), Root: t.Root, KeepEmbedder: true}
			k.rebuilds.Start(k.ctx, k.in, r, func(_ *ingest.Report, err error) time.Duration {
				if err != nil {
					k.log.Warn("index not rebuilt", "project", t.IndexID(), "error", err)
				}
				return 0 // the next run begins it again
			})
		}
	}
	var locked *search.LockedError
	if err != nil && k.ctx.Err() == nil && !errors.As(err, &locked) {
		k.log.Warn("not refreshed", "project", t.IndexID(), "error", err)
		k.store.NoteFailure(k.ctx, t.IndexID(), err)
	}
	now := time.Now()
	k.mu.Lock()
	defer k.mu.Unlock()
	if again = (k.next[t.IndexID()].again || err == nil && report.Unfinished) && k.ctx.Err() == nil; again {
		k.next[t.IndexID()] = pace{running: true}
	} else {
		k.next[t.IndexID()] = pace{after: now.Add(max(restLeast, restFactor*now.Sub(began)))}
	}
	return again
}
