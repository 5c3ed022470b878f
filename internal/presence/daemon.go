package presence

import (
	"slices"

	"github.com/contextd/contextd/internal/owner"
	"github.com/contextd/contextd/internal/sandbox"
)

// Daemon is a running "indexer run".
type Daemon struct {
	Owner   string   `json:"owner"` // package owner
	Host    string   `json:"host"`
	Backend string   `json:"backend"`
	Roots   []string `json:"roots"` // the roots it may serve: real paths where they exist
	// the roots it keeps fresh by itself; of the others it refreshes what it is asked for
	Watched []string `json:"watched,omitempty"`
	// the names of the Redis servers among which it looks for projects; none where there is one
	Servers []string `json:"servers,omitempty"`
}

// Self describes this process as a daemon on a backing that may serve roots and keeps those of watched fresh.
func Self(backing string, roots, watched []string) Daemon {
	return Daemon{Owner: owner.Self(), Host: owner.Host(), Backend: backing, Roots: roots, Watched: watched}
}

// Watches reports whether one of the daemons keeps the project of root, a real path, fresh. A folder below a watched
// one is a project of its own, which nobody watches.
func Watches(daemons []Daemon, root string) bool {
	return slices.ContainsFunc(daemons, func(d Daemon) bool { return slices.Contains(d.Watched, root) })
}

// Covers reports whether one of the daemons may serve root, a real path: it takes requests for it. Whether it keeps
// root fresh, [Watches] tells.
func Covers(daemons []Daemon, root string) bool {
	for _, d := range daemons {
		for _, allowed := range d.Roots {
			if sandbox.Within(allowed, root) {
				return true
			}
		}
	}
	return false
}
