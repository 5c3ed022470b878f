package queue

import (
	"cmp"
	"path/filepath"
	"slices"
	"time"

	"github.com/contextd/contextd/internal/code"
)

// MaxUndrained is the maximum number of undrained messages that Stats and Waiting read.
const MaxUndrained = 10_000

// ProjectRow is the state of one pending or claimed project in an implementation.
type ProjectRow struct {
	Project string
	Root    string
	Paths   int
	First   time.Time // when the oldest change began to wait
	Due     time.Time
	Claimed bool // by a worker that may be alive
}

// coalesceUndrained adds up messages that still lie in the intake. One that breaks a rule waits for nothing.
func coalesceUndrained(ms []Message) []*Merge {
	var good []Accepted
	for _, m := range ms {
		if r, err := Parse(m.ID, m.Fields); err == nil {
			good = append(good, Accepted{r, m.At})
		}
	}
	return Coalesce(good)
}

// matchingRow is the row of those of a project, or nil, that messages will be merged with.
func (m *Merge) matchingRow(rows []*Waiting) *Waiting {
	for _, w := range rows {
		if w.Root == "" || SameRoot(m.Root, w.Root) {
			return w
		}
	}
	return nil
}

// SumStats is the Stats of rows and of the messages in the intake, Dead left 0. The changes of a claimed project count
// as waiting until they are done, the project itself only as Inflight.
func SumStats(rows []ProjectRow, intake []Message, now time.Time) Stats {
	var s Stats
	waits := map[string][]*Waiting{} // by project
	for _, r := range rows {
		switch {
		case r.Claimed:
			s.Inflight++
		default:
			p := code.ProjectOf(r.Project)
			waits[p] = append(waits[p], &Waiting{Root: r.Root})
			s.Depth++
			if r.Due.After(now) {
				s.Delayed++
			}
		}
		s.Paths += r.Paths
		s.Oldest = max(s.Oldest, now.Sub(r.First))
	}
	for _, m := range coalesceUndrained(intake) {
		if m.matchingRow(waits[m.Project]) == nil {
			s.Depth++
		}
		s.Paths += len(m.Items)
		s.Oldest = max(s.Oldest, now.Sub(m.First))
	}
	return s
}

// rootIndexID is the index that a further root of a project gets.
func rootIndexID(project, root string) string {
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	return code.RootIndexID(project, root)
}

// ListWaiting is the Waiting of rows and of the messages in the intake, by project; a path that lies in both counts
// twice.
func ListWaiting(rows []ProjectRow, intake []Message, project string, now time.Time) []Waiting {
	byProject, unseen := map[string][]*Waiting{}, map[*Waiting]bool{} // unseen: nothing of it is drained
	for _, r := range rows {
		p := code.ProjectOf(r.Project)
		byProject[p] = append(byProject[p],
			&Waiting{Project: r.Project, Root: r.Root, Paths: r.Paths, Oldest: max(0, now.Sub(r.First))})
	}
	for _, m := range coalesceUndrained(intake) {
		w := m.matchingRow(byProject[m.Project])
		if w == nil {
			w = &Waiting{Project: m.Project, Root: m.Root}
			byProject[m.Project] = append(byProject[m.Project], w)
			unseen[w] = true
		}
		w.Root = cmp.Or(w.Root, m.Root)
		if m.Rescan() {
			w.Paths = 0
		}
		w.Paths += len(m.Items)
		w.Oldest = max(w.Oldest, now.Sub(m.First))
	}
	var all []Waiting
	for _, list := range byProject {
		for _, w := range list {
			if project == "" || w.Project == project || unseen[w] && rootIndexID(w.Project, w.Root) == project {
				all = append(all, *w)
			}
		}
	}
	slices.SortFunc(all, func(a, b Waiting) int {
		return cmp.Or(cmp.Compare(a.Project, b.Project), cmp.Compare(a.Root, b.Root))
	})
	return all
}
