package queue

import (
	"cmp"
	"slices"
	"time"
)

// MaxTally is how many undrained messages Stats and Waiting look at.
const MaxTally = 10_000

// Row is what an implementation knows of one project that waits or is claimed.
type Row struct {
	Project string
	Root    string
	Paths   int
	First   time.Time // when the oldest change began to wait
	Due     time.Time
	Claimed bool // by a worker that may still live
}

// undrained adds up messages that still lie in the intake. One that breaks a rule waits for nothing.
func undrained(ms []Message) []*Merge {
	var good []Accepted
	for _, m := range ms {
		if r, err := Parse(m.ID, m.Fields); err == nil {
			good = append(good, Accepted{r, m.At})
		}
	}
	return Coalesce(good)
}

// Sum is the Stats of rows and of the messages in the intake, Dead left 0. The changes of a claimed project count as
// waiting until they are done, the project itself only as Inflight.
func Sum(rows []Row, intake []Message, now time.Time) Stats {
	var s Stats
	waits := map[string]bool{}
	for _, r := range rows {
		switch {
		case r.Claimed:
			s.Inflight++
		default:
			waits[r.Project] = true
			s.Depth++
			if r.Due.After(now) {
				s.Delayed++
			}
		}
		s.Paths += r.Paths
		s.Oldest = max(s.Oldest, now.Sub(r.First))
	}
	for _, m := range undrained(intake) {
		if !waits[m.Project] {
			s.Depth++
		}
		s.Paths += len(m.Items)
		s.Oldest = max(s.Oldest, now.Sub(m.First))
	}
	return s
}

// List is the Waiting of rows and of the messages in the intake, by project; a path that lies in both counts twice.
func List(rows []Row, intake []Message, project string, now time.Time) []Waiting {
	byProject := map[string]*Waiting{}
	for _, r := range rows {
		byProject[r.Project] = &Waiting{Project: r.Project, Root: r.Root, Paths: r.Paths, Oldest: max(0, now.Sub(r.First))}
	}
	for _, m := range undrained(intake) {
		w := byProject[m.Project]
		if w == nil {
			w = &Waiting{Project: m.Project}
			byProject[m.Project] = w
		}
		if w.Root != m.Root || m.Rescan() {
			w.Paths = 0
		}
		w.Root = m.Root
		w.Paths += len(m.Items)
		w.Oldest = max(w.Oldest, now.Sub(m.First))
	}
	var all []Waiting
	for _, w := range byProject {
		if project == "" || project == w.Project {
			all = append(all, *w)
		}
	}
	slices.SortFunc(all, func(a, b Waiting) int { return cmp.Compare(a.Project, b.Project) })
	return all
}
