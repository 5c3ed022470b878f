package session

import (
	"context"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/waits"
)

// An answer may only say "nothing relevant" where somebody makes sure that the index equals the disk: a daemon that watches the
// root, or whoever answers. A daemon that merely may serve a root refreshes it when it is asked to.

const (
	compareShare = 4                      // of the deadline, a comparison may take one part in so many
	tellEvery    = 200 * time.Millisecond // a difference is told to the daemon at most so often
)

// keeper is what the live daemons do for a root.
type keeper int

const (
	nobody  keeper = iota
	covers         // it may serve the root, and does when it is asked
	watches        // it keeps the root fresh
)

// keeper tells who keeps root fresh.
func (s *Session) keeper(ctx context.Context, root string) keeper {
	daemons, err := s.store.Daemons(ctx)
	if err != nil {
		s.log.Warn("daemons not known", "error", err)
	}
	switch {
	case backend.Watches(daemons, root) && !s.store.HoldsBack():
		return watches
	case backend.Covers(daemons, root):
		return covers
	}
	return nobody
}

// clock keeps what is left of a deadline.
type clock struct {
	began time.Time
	whole time.Duration
}

func newClock(req *retrieve.Request) clock { return clock{began: time.Now(), whole: req.Deadline} }

// set makes what is left the deadline of req.
func (c clock) set(req *retrieve.Request) {
	req.Deadline = max(c.whole-time.Since(c.began), time.Millisecond)
}

// nothing is what is to be said against an answer that found nothing: a file may have been written just now, of which the daemon
// that watches the root does not know yet.
func (s *Session) nothing(ctx context.Context, req retrieve.Request, k keeper) []retrieve.Reason {
	ctx, cancel := context.WithTimeout(ctx, req.Deadline)
	defer cancel()
	p, err := s.record(ctx, req.Target.IndexID())
	if err != nil || p.Root != req.Target.Root {
		return nil
	}
	limit, stop := context.WithTimeout(ctx, req.Deadline/compareShare)
	defer stop()
	if changed, err := s.opts.Ingester.Changed(limit, p); changed || err != nil && k != watches {
		s.tell(ctx, req.Target, k)
		return s.waiting()
	}
	return nil
}

// compare makes sure that an index equals the disk, within half of the request's deadline.
// Where it does not, whoever may refresh it is asked to and waited for, as long as half of the deadline lasts.
func (s *Session) compare(ctx context.Context, req retrieve.Request, k keeper) []retrieve.Reason {
	began, whole := time.Now(), req.Deadline
	half, cancel := context.WithTimeout(ctx, whole/2)
	defer cancel()
	p, err := s.record(half, req.Target.IndexID())
	if err != nil || p.Root != req.Target.Root {
		return nil // the answer says so
	}
	if !s.changed(half, p, whole/compareShare) {
		s.Start(req.Target, false) // git's history may be another
		return nil
	}
	// What was indexed since may have been walked before: it is compared once more.
	if s.confirmed(half, &p, began, func() bool { return s.tell(half, req.Target, k) }) && !s.changed(half, p, whole/compareShare) {
		return nil
	}
	return s.waiting()
}

// waiting is why an answer does not know of a change: the store may have refused to be told of it.
func (s *Session) waiting() []retrieve.Reason {
	reasons := []retrieve.Reason{retrieve.ChangesWaiting}
	if s.full.Load() {
		reasons = append(reasons, retrieve.StoreFull)
	}
	return reasons
}

// changed compares a project with its disk; a comparison that does not end within limit may have found anything.
func (s *Session) changed(ctx context.Context, p search.Project, limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	changed, err := s.opts.Ingester.Changed(ctx, p)
	if err != nil {
		s.log.Debug("not compared with the disk", "project", p.ID, "error", err)
	}
	return changed || err != nil
}

// record is what the index knows of a project.
func (s *Session) record(ctx context.Context, project string) (search.Project, error) {
	snap, err := s.store.Index.Open(ctx, project)
	if err != nil {
		return search.Project{}, err
	}
	p := snap.Project()
	return p, snap.Close()
}

// tell asks for a refresh of what was found changed; false where there is nobody to ask.
func (s *Session) tell(ctx context.Context, t access.Target, k keeper) bool {
	if s.embedded() && k != watches {
		return s.Start(t, true)
	}
	if k == nobody {
		return false
	}
	if paths, _, err := s.waitsFor(ctx, t); err != nil || paths > 0 {
		return err == nil
	}
	first, err := s.store.Once(ctx, "compare:"+t.IndexID(), tellEvery)
	if err == nil && !first {
		return true
	}
	defer func() { s.full.Store(backend.Full(err)) }()
	if err != nil {
		return false
	}
	q, err := s.store.Queue()
	if err == nil {
		_, err = q.Push(ctx, queue.Request{Project: t.Project, Root: t.Root, At: time.Now()})
	}
	if err != nil {
		s.log.Debug("refresh not asked for", "project", t.IndexID(), "error", err)
	}
	return err == nil
}

// confirmed asks for a refresh and waits until a project was indexed after a time, as long as ctx lasts and ask finds somebody. It
// sets p to what it is then.
func (s *Session) confirmed(ctx context.Context, p *search.Project, at time.Time, ask func() bool) bool {
	defer waits.Begin(ctx)()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	var asked time.Time
	for {
		if time.Since(asked) > tellEvery {
			if asked = time.Now(); !ask() {
				return false
			}
		}
		if now, err := s.record(ctx, p.ID); err == nil && now.IndexedAt.After(at) {
			*p = now
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
}
