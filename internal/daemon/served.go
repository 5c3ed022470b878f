package daemon

import (
	"maps"
	"slices"
	"sync"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

// served remembers the projects that this daemon has refreshed, so that it can request them again when the store has
// lost them, and the state of each. Safe for concurrent use.
type served struct {
	mu sync.Mutex
	// project → root; each is an index, of which a project has one for each of its roots
	roots       map[string]string
	walks       map[string]walk        // project → its last reconciliation
	missing     map[string]missingRoot // project → its missing root
	refusedLast map[string]bool        // project → the embedder refused its last run

	indexed map[string]bool // projects of roots that the index was seen to hold

	removalCount uint64            // of removals that this daemon was told of
	removed      map[string]uint64 // project → count at its last removal; see drops what it has seen

	skippedOnce map[string]bool // projects that the last reconciliation passed over

	storeFullRuns map[string]int // project → runs in a row for which the store had no room

	refusals map[string]error // project → why the embedder refused to build its next version
}

func newServed() *served {
	return &served{roots: map[string]string{}, walks: map[string]walk{}, missing: map[string]missingRoot{},
		refusedLast: map[string]bool{}, indexed: map[string]bool{}, storeFullRuns: map[string]int{},
		skippedOnce: map[string]bool{}, refusals: map[string]error{}, removed: map[string]uint64{}}
}

func (s *served) remember(project, root string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.roots[project] = root
}

// indexOf applies search.IndexOf to projects and to the remembered roots. ok: the id was remembered.
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

// project is a project that the store holds or that waits in its queue.
type project struct {
	id, root string
	indexed  bool
}

// listing lists the projects of the store at one moment.
type listing struct {
	projects []project
	removals uint64 // of which this daemon had been told before the store was read
}

// hasRoot reports whether the project is remembered with that root.
func (s *served) hasRoot(id, root string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.roots[id] == root
}

// update applies a listing of the whole store. It remembers projects that another process has indexed, and forgets
// those that were listed before and are no longer, for somebody removed them. A project that was never listed may be
// about to be indexed and stays remembered; one that was removed after the listing was made is ignored. A nil listing
// changes nothing.
func (s *served) update(l *listing) {
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

// removals returns the number of removals that this daemon has been told of.
func (s *served) removals() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.removalCount
}

// remove forgets a project that somebody has removed, even if an earlier listing still holds it. Unknown projects are
// recorded too: such a listing may be the first that holds them.
func (s *served) remove(project string) {
	s.mu.Lock()
	s.removalCount++
	if len(s.removed) < maxRemoved {
		s.removed[project] = s.removalCount
	}
	s.mu.Unlock()
	s.forget(project)
}

// maxRemoved bounds the removals that are remembered between two listings of the store.
const maxRemoved = 10_000

func (s *served) forget(project string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.roots, project)
	delete(s.walks, project)
	delete(s.missing, project)
	delete(s.refusedLast, project)
	delete(s.storeFullRuns, project)
	delete(s.refusals, project)
	delete(s.skippedOnce, project)
	delete(s.indexed, project)
}

// skipOnce reports whether this reconciliation may skip a busy project: it may not skip one twice in a row.
func (s *served) skipOnce(project string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.skippedOnce[project] = !s.skippedOnce[project]
	return s.skippedOnce[project]
}

func (s *served) allRoots() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.roots)
}
