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
	gone  map[string]time.Time
}

// walk is when a reconciliation of a project ended and how long it took.
type walk struct {
	end  time.Time
	took time.Duration
}

// walkShare is how much longer than a walk the time to the next one is at least.
const walkShare = 100

func newServed() *served {
	return &served{roots: map[string]string{}, walks: map[string]walk{}, gone: map[string]time.Time{}}
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
	delete(s.gone, project)
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

// missing notes whether a project's root is missing and returns for how long it has been.
func (s *served) missing(project string, is bool, now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !is {
		delete(s.gone, project)
		return 0
	}
	if _, ok := s.gone[project]; !ok {
		s.gone[project] = now
	}
	return now.Sub(s.gone[project])
}
