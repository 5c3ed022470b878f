package daemon

import (
	"maps"
	"sync"
	"time"
)

// served remembers the projects that this daemon has worked for, so that they can be asked for again when the store has
// lost them. Safe for concurrent use.
type served struct {
	mu    sync.Mutex
	roots map[string]string // project → root
	walks map[string]walk   // project → its last reconciliation
	lost  map[string]loss   // project → its missing root
}

// loss is a root that was seen missing, and since when.
type loss struct {
	root  string
	since time.Time
}

// walk is when a reconciliation of a project ended and how long it took.
type walk struct {
	end  time.Time
	took time.Duration
}

// walkShare is how much longer than a walk the time to the next one is at least.
const walkShare = 100

func newServed() *served {
	return &served{roots: map[string]string{}, walks: map[string]walk{}, lost: map[string]loss{}}
}

func (s *served) note(project, root string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.roots[project] = root
}

func (s *served) forget(project string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.roots, project)
	delete(s.walks, project)
	delete(s.lost, project)
}

func (s *served) all() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.roots)
}

// rest reports whether a project was walked so lately that it is too early to walk it again.
func (s *served) rest(project string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, ok := s.walks[project]
	return ok && now.Sub(w.end) < walkShare*w.took
}

func (s *served) walked(project string, began, end time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.walks[project] = walk{end: end, took: end.Sub(began)}
}

// gone notes that a project's root is missing and returns since when this daemon has seen that.
func (s *served) gone(project, root string, now time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.lost[project]
	if !ok || l.root != root || l.since.After(now) {
		l = loss{root: root, since: now}
		s.lost[project] = l
	}
	return l.since
}

// back notes that a project's root is there.
func (s *served) back(project string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.lost, project)
}
