package daemon

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

// served remembers the projects that this daemon has worked for, so that they can be asked for again when the store has
// lost them. Safe for concurrent use.
type served struct {
	mu    sync.Mutex
	roots map[string]string // project → root; each is an index, of which a project has one for each of its roots
	walks map[string]walk   // project → its last reconciliation
	lost  map[string]loss   // project → its missing root
	deny  map[string]bool   // project → the embedder refused its last run

	indexed map[string]bool // projects of roots that the index was seen to hold

	count   uint64            // of removals that this daemon was told of
	removed map[string]uint64 // project → count at its last removal; see drops what it has seen

	passed map[string]bool // projects that the last reconciliation passed over

	cramped map[string]int // project → runs in a row for which the store had no room

	due map[string]time.Time // project → when its next version is gone on with
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
	return &served{roots: map[string]string{}, walks: map[string]walk{}, lost: map[string]loss{}, deny: map[string]bool{},
		indexed: map[string]bool{}, cramped: map[string]int{}, passed: map[string]bool{}, due: map[string]time.Time{},
		removed: map[string]uint64{}}
}

func (s *served) note(project, root string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.roots[project] = root
}

// indexOf is search.IndexOf among projects and what is remembered; ok: it is remembered.
func (s *served) indexOf(project, root string, projects []search.Project) (id string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range []string{project, code.RootIndexID(project, root)} {
		if s.roots[id] == root {
			return id, true
		}
	}
	if r := s.roots[project]; r != "" {
		projects = append(slices.Clone(projects), search.Project{ID: project, Root: r})
	}
	return search.IndexOf(projects, project, root), false
}

// project is one that the store holds, or that waits in its queue.
type project struct {
	id, root string
	indexed  bool
}

// listing is what the store held at one moment.
type listing struct {
	projects []project
	removals uint64 // of which this daemon had been told before the store was read
}

// knows reports whether a project is remembered with that root.
func (s *served) knows(id, root string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.roots[id] == root
}

// see compares what is remembered with a listing of a whole store: projects that another process indexed are remembered as well, and
// those that were there and are no longer, because somebody removed them, are forgotten. One that was never seen there may be
// on its way; one that was removed after the listing was made is gone. A nil listing tells nothing.
func (s *served) see(l *listing) {
	if l == nil {
		return
	}
	here := map[string]bool{}
	s.mu.Lock()
	for _, p := range l.projects {
		if s.removed[p.id] > l.removals {
			continue
		}
		if here[p.id] = true; p.indexed {
			s.roots[p.id], s.indexed[p.id] = p.root, true
		}
	}
	var gone []string
	for id := range s.indexed {
		if !here[id] {
			gone = append(gone, id)
		}
	}
	maps.DeleteFunc(s.removed, func(_ string, at uint64) bool { return at <= l.removals })
	s.mu.Unlock()
	for _, id := range gone {
		s.forget(id)
	}
}

// removals is how many removals this daemon was told of.
func (s *served) removals() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// remove forgets a project that somebody has removed, also if a listing made before still holds it. A project that is not
// remembered is noted too: such a listing may be the first that holds it.
func (s *served) remove(project string) {
	s.mu.Lock()
	s.count++
	if len(s.removed) < maxRemoved {
		s.removed[project] = s.count
	}
	s.mu.Unlock()
	s.forget(project)
}

// maxRemoved bounds the removals that are remembered between two looks at the store.
const maxRemoved = 10_000

func (s *served) forget(project string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.roots, project)
	delete(s.walks, project)
	delete(s.lost, project)
	delete(s.deny, project)
	delete(s.cramped, project)
	delete(s.due, project)
	delete(s.passed, project)
	delete(s.indexed, project)
}

// pass reports whether a reconciliation may pass a busy project over, which it may only once.
func (s *served) pass(project string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.passed[project] = !s.passed[project]
	return s.passed[project]
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
	delete(s.passed, project)
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

// refused notes that the embedder refused a project's run, and reports whether it had refused the one before.
func (s *served) refused(project string) (again bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	again = s.deny[project]
	s.deny[project] = true
	return again
}

// accepted notes that a project's run succeeded.
func (s *served) accepted(project string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.deny, project)
	delete(s.cramped, project)
}

// noRoom notes that the store had no room for a project's run, and returns for how many in a row before.
func (s *served) noRoom(project string) (before int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before = s.cramped[project]
	s.cramped[project]++
	return before
}

// later notes when a project's next version is to be gone on with.
func (s *served) later(project string, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.due[project] = at
}

// ripe takes those whose time has come, with their roots.
func (s *served) ripe(now time.Time) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]string{}
	for project, at := range s.due {
		if !at.After(now) {
			out[project] = s.roots[project]
			delete(s.due, project)
		}
	}
	return out
}
