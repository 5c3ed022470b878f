package session

import (
	"context"
	"errors"
	"time"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/search"
)

const (
	restFactor = 100         // a run behind an answer that took t is not repeated within restFactor × t
	restLeast  = time.Second // nor within this
)

// bringUp makes the embedded index equal to the disk, unless a daemon does that or another process is at it.
func (s *Session) bringUp(ctx context.Context, req retrieve.Request, progress func(done, total int)) (keeper, []retrieve.Reason, error) {
	t := req.Target
	k := s.keeper(ctx, t.Root)
	if k == watches {
		return k, nil, nil
	}
	reasons, err := s.refreshFirst(ctx, req, progress)
	return k, reasons, err
}

// refreshFirst is bringUp where no daemon watches the root.
func (s *Session) refreshFirst(ctx context.Context, req retrieve.Request, progress func(done, total int)) ([]retrieve.Reason, error) {
	t := req.Target
	rebuilt, err := s.refresh(ctx, t, req.Deadline/2, progress)
	if err == nil {
		s.owe(t)
	}
	var locked *search.LockedError
	var partial *partialError
	switch {
	case err == nil && rebuilt:
		return []retrieve.Reason{retrieve.StateRebuilt}, nil
	case err == nil:
		return nil, nil
	case errors.As(err, &locked):
		return s.await(ctx, req, retrieve.ChangesWaiting)
	case ctx.Err() != nil:
		return nil, err
	case errors.As(err, &partial):
		s.log.Warn("indexed without vectors", "project", t.IndexID(), "error", err)
		return []retrieve.Reason{retrieve.EmbedderUnavailable}, nil
	}
	if snap, openErr := s.store.Index.Open(ctx, t.IndexID()); openErr == nil { // an older answer is better than none
		s.log.Warn("not refreshed", "project", t.IndexID(), "error", err)
		return []retrieve.Reason{retrieve.IndexStale}, snap.Close()
	}
	return nil, err
}

// partialError is a run that ended with an index of words alone, because the embedder failed.
type partialError struct{ error }

func (e *partialError) Unwrap() error { return e.error }

// refresh makes the index of a project equal to the disk and takes what waited for that from the queue. rebuilt: damaged state was
// set aside before. wait is how long another writer is waited for.
func (s *Session) refresh(ctx context.Context, t retrieve.Target, wait time.Duration, progress func(done, total int)) (rebuilt bool, err error) {
	settle := s.settler(ctx, t)
	report, err := s.opts.Ingester.Refresh(ctx, ingest.Request{Project: t.IndexID(), Root: t.Root, Wait: wait, KeepEmbedder: true, Progress: progress})
	switch {
	case err != nil && report != nil:
		return false, &partialError{err}
	case err != nil:
		return false, err
	}
	settle()
	if report.Added+report.Changed > 0 {
		if err := s.store.Evict(ctx, t.IndexID(), backend.Client); err != nil {
			s.log.Warn("state not kept within its limit", "error", err)
		}
	}
	return report.Project.Rebuilt, nil
}

// behind brings the index up to date behind the answer, unless a daemon does. Where there is no generation yet it waits for the first
// one within the request's deadline.
func (s *Session) behind(ctx context.Context, req retrieve.Request) (keeper, []retrieve.Reason) {
	k := s.keeper(ctx, req.Target.Root)
	if k == watches {
		return k, nil
	}
	if _, err := s.record(ctx, req.Target.IndexID()); err == nil {
		return k, s.compare(ctx, req, k)
	}
	if !s.Start(req.Target, false) {
		return k, nil
	}
	wait := req
	wait.Deadline = req.Deadline * 3 / 4 // the rest is for the answer
	reasons, err := s.await(ctx, wait)
	if err != nil {
		s.log.Warn("index not opened", "project", req.Target.IndexID(), "error", err)
	}
	return k, reasons
}

// pace is how the runs of one project follow each other.
type pace struct {
	running bool
	again   bool      // something came in the midst of the run: another has to follow
	after   time.Time // when the next may begin
}

// Start begins a run behind an answer, unless one is at it or has been only just now. must: something is known to have changed, so
// there is no rest before it, and a run that is at it is followed by another. It reports whether a run is under way or about to be,
// and does nothing for a root that may not be indexed here.
func (s *Session) Start(t retrieve.Target, must bool) bool {
	if s.store.Name != backend.Embedded || t.Root == "" || !s.May(t.Root) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.next[t.IndexID()]
	switch {
	case s.shut:
		return false
	case p.running:
		p.again = p.again || must
		s.next[t.IndexID()] = p
		return true
	case !must && time.Now().Before(p.after):
		return false
	}
	s.next[t.IndexID()] = pace{running: true}
	s.runs.Go(func() {
		for s.run(t) {
		}
	})
	return true
}

// run is one run behind an answer. It reports whether another has to follow at once.
func (s *Session) run(t retrieve.Target) (again bool) {
	began := time.Now()
	_, err := s.refresh(s.ctx, t, 0, nil)
	if err == nil {
		s.keepHistory(s.ctx, t)
	}
	var locked *search.LockedError
	if err != nil && s.ctx.Err() == nil && !errors.As(err, &locked) {
		s.log.Warn("not refreshed", "project", t.IndexID(), "error", err)
		s.store.NoteFailure(s.ctx, t.IndexID(), err)
	}
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if again = s.next[t.IndexID()].again && s.ctx.Err() == nil; again {
		s.next[t.IndexID()] = pace{running: true}
	} else {
		s.next[t.IndexID()] = pace{after: now.Add(max(restLeast, restFactor*now.Sub(began)))}
	}
	return again
}

// await waits, where there is no generation yet, for whoever makes the first one, until the deadline. old is what is to be said of
// one that is there at once.
func (s *Session) await(ctx context.Context, req retrieve.Request, old ...retrieve.Reason) ([]retrieve.Reason, error) {
	ctx, cancel := context.WithTimeout(ctx, req.Deadline)
	defer cancel()
	defer retrieve.BeginWait(ctx)()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		snap, err := s.store.Index.Open(ctx, req.Target.IndexID())
		if err == nil {
			return old, snap.Close()
		}
		old = nil
		select {
		case <-ctx.Done():
			return []retrieve.Reason{retrieve.IndexBuilding}, nil
		case <-tick.C:
		}
	}
}

// settler notes what waits for a project now; the function it returns takes that from the queue, for it is done.
func (s *Session) settler(ctx context.Context, t retrieve.Target) func() {
	nothing := func() {}
	if _, any, err := s.waitsFor(ctx, t); err != nil || !any {
		return nothing
	}
	q, err := s.store.Queue()
	if err != nil {
		return nothing
	}
	mark, err := q.Mark(ctx)
	if err != nil {
		return nothing
	}
	return func() {
		if err := q.DropUntil(ctx, t.IndexID(), t.Root, mark); err != nil {
			s.log.Warn("queue not settled", "project", t.IndexID(), "error", err)
		}
	}
}
