package freshness

import (
	"context"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/presence"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/waits"
)

// An answer may only say "nothing relevant" where somebody makes sure that the index equals the disk: a daemon that
// watches the root, or whoever answers. A daemon that merely may serve a root refreshes it when it is asked to.

const (
	compareShare = 4                      // of the deadline, a comparison may take one part in so many
	tellEvery    = 200 * time.Millisecond // a difference is told to the daemon at most so often
)

// coverage is what the live daemons do for a root.
type coverage int

const (
	nobody  coverage = iota
	covers           // it may serve the root, and does when it is asked
	watches          // it keeps the root fresh
)

// coverage tells who keeps root fresh.
func (k *Keeper) coverage(ctx context.Context, project, root string) coverage {
	daemons, err := k.store.Daemons(ctx)
	if err != nil {
		k.log.Warn("daemons not known", "error", err)
	}
	switch {
	case presence.Watches(daemons, root) && !k.store.HoldsBack(project):
		return watches
	case presence.Covers(daemons, root):
		return covers
	}
	return nobody
}

// compare makes sure that an index equals the disk, within half of the deadline. Where it does not, whoever may refresh
// it is asked to and waited for, as long as half of the deadline lasts. equal: it does, as of a time after the question
// came.
func (k *Keeper) compare(ctx context.Context, t access.Target, whole time.Duration, c coverage) (notes []Note, equal bool) {
	began := time.Now()
	half, cancel := context.WithTimeout(ctx, whole/2)
	defer cancel()
	p, err := k.record(half, t.IndexID())
	if err != nil || p.Root != t.Root {
		return nil, false // the answer says so
	}
	if !k.changed(half, p, whole/compareShare) {
		k.Start(t, false) // git's history may be another
		return nil, true
	}
	// What was indexed since may have been walked before: it is compared once more.
	if k.confirmed(half, &p, began, func() bool { return k.requestRefresh(half, t, c) }) && !k.changed(half, p, whole/compareShare) {
		return nil, true
	}
	return k.waits(), false
}

// waits is why an answer does not know of a change: the store may have refused to be told of it.
func (k *Keeper) waits() []Note {
	notes := []Note{Waits}
	if k.full.Load() {
		notes = append(notes, Full)
	}
	return notes
}

// changed compares a project with its disk; a comparison that does not end within limit may have found anything.
func (k *Keeper) changed(ctx context.Context, p search.Project, limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	changed, err := k.in.Changed(ctx, p)
	if err != nil {
		k.log.Debug("not compared with the disk", "project", p.ID, "error", err)
	}
	return changed || err != nil
}

// record is what the index knows of a project.
func (k *Keeper) record(ctx context.Context, project string) (search.Project, error) {
	snap, err := k.store.Index.Open(ctx, project)
	if err != nil {
		return search.Project{}, err
	}
	p := snap.Project()
	return p, snap.Close()
}

// requestRefresh asks for a refresh of what was found changed; false where there is nobody to ask.
func (k *Keeper) requestRefresh(ctx context.Context, t access.Target, c coverage) bool {
	if k.embedded() && c != watches {
		return k.Start(t, true)
	}
	if c == nobody {
		return false
	}
	if paths, _, err := k.waitsFor(ctx, t); err != nil || paths > 0 {
		return err == nil
	}
	asked, err := k.pushOnce(ctx, "compare:"+t.IndexID(), tellEvery, queue.Request{Project: t.Project, Root: t.Root})
	if asked || err != nil {
		k.full.Store(backend.Full(err))
	}
	if err != nil {
		k.log.Debug("refresh not asked for", "project", t.IndexID(), "error", err)
	}
	return err == nil
}

// confirmed asks for a refresh and waits until a project was indexed after a time, as long as ctx lasts and ask finds
// somebody. It sets p to what it is then.
func (k *Keeper) confirmed(ctx context.Context, p *search.Project, at time.Time, ask func() bool) bool {
	defer waits.Begin(ctx)()
	var asked time.Time
	done := false
	poll(ctx, pollFirst, func() bool {
		if time.Since(asked) > tellEvery {
			if asked = time.Now(); !ask() {
				return true
			}
		}
		now, err := k.record(ctx, p.ID)
		if done = err == nil && now.IndexedAt.After(at); done {
			*p = now
		}
		return done
	})
	return done
}
