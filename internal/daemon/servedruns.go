package daemon

import (
	"time"
)

// walkPauseFactor is the least ratio of the pause between two walks of a project to the time that a walk takes.
const walkPauseFactor = 100

// walk is when a reconciliation of a project ended and how long it took.
type walk struct {
	end  time.Time
	took time.Duration
}

// missingRoot is a root that was seen missing, and since when.
type missingRoot struct {
	root  string
	since time.Time
}

// walkedRecently reports whether it is too early to walk a project again.
func (s *served) walkedRecently(project string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, ok := s.walks[project]
	return ok && now.Sub(w.end) < walkPauseFactor*w.took
}

func (s *served) noteWalk(project string, began, end time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.walks[project] = walk{end: end, took: end.Sub(began)}
	delete(s.skippedOnce, project)
}

// noteMissing records that a project's root is missing and returns since when this daemon has observed that.
func (s *served) noteMissing(project, root string, now time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.missing[project]
	if !ok || l.root != root || l.since.After(now) {
		l = missingRoot{root: root, since: now}
		s.missing[project] = l
	}
	return l.since
}

// noteReturned records that a project's root exists again.
func (s *served) noteReturned(project string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.missing, project)
}

// noteRefused records that the embedder refused a project's run, and reports whether it had also refused the previous
// one.
func (s *served) noteRefused(project string) (again bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	again = s.refusedLast[project]
	s.refusedLast[project] = true
	return again
}

// noteSuccess records that a project's run succeeded.
func (s *served) noteSuccess(project string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.refusedLast, project)
	delete(s.storeFullRuns, project)
}

// noteStoreFull records that the store was full for a project's run, and returns how many consecutive runs before it
// met the same.
func (s *served) noteStoreFull(project string) (before int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before = s.storeFullRuns[project]
	s.storeFullRuns[project]++
	return before
}

// keepRefusal keeps why the embedder refused to build a project's next version, for the next claim.
func (s *served) keepRefusal(project string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusals[project] = err
}

// takeRefusal removes and returns what was kept.
func (s *served) takeRefusal(project string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.refusals[project]
	delete(s.refusals, project)
	return err
}
