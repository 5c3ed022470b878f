package eviction

import (
	"cmp"
	"slices"
	"time"

	"github.com/contextd/contextd/internal/search"
)

// use is what is known of the questions to a project.
type use struct {
	brought time.Time // when it was first indexed or asked for; zero: unknown
	queried time.Time // the last question; zero: none
}

const (
	// inUse is how long after a question a project counts as in use.
	inUse = time.Hour
	// firstAsked is how long after it was brought questions are those of whoever brought it: it waits for the index.
	firstAsked = time.Minute
	// useKept is how long the use of a project without an index is remembered.
	useKept = 24 * time.Hour
)

// lately reports whether somebody asked in the last hour.
func (u use) lately(now time.Time) bool { return now.Sub(u.queried) < inUse }

// class is 0 for a project that nobody has asked again since it was brought, 1 for one that was in use, 2 for one that
// is.
func (u use) class(now time.Time) int {
	switch {
	case u.queried.IsZero() || u.queried.Sub(u.brought) < firstAsked:
		return 0
	case !u.lately(now):
		return 1
	}
	return 2
}

// sortForEviction puts first what is to go first. Of the projects that nobody has asked again, and of those that are in
// use, what came last goes first, so that whoever brings many takes from himself; the others go least recently queried
// first.
func sortForEviction(projects []search.Project, uses map[string]use, now time.Time) {
	brought := func(p search.Project) time.Time {
		if t := uses[p.ID].brought; !t.IsZero() {
			return t
		}
		return p.IndexedAt
	}
	slices.SortStableFunc(projects, func(a, b search.Project) int {
		ua, ub := uses[a.ID], uses[b.ID]
		ca, cb := ua.class(now), ub.class(now)
		if ca != cb {
			return cmp.Compare(ca, cb)
		}
		if ca == 1 {
			return ua.queried.Compare(ub.queried)
		}
		return cmp.Or(brought(b).Compare(brought(a)), cmp.Compare(b.ID, a.ID))
	})
}

// sortLeastRecent puts first what is least recently queried.
func sortLeastRecent(projects []search.Project, uses map[string]use) {
	slices.SortStableFunc(projects, func(a, b search.Project) int {
		return cmp.Or(uses[a.ID].queried.Compare(uses[b.ID].queried), a.IndexedAt.Compare(b.IndexedAt))
	})
}
