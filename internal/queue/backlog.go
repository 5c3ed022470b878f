package queue

import (
	"time"
)

// Backlog is what waits of one project, and of all.
type Backlog struct {
	Paths       int           // waiting changes of the project
	Oldest      time.Duration // age of the oldest of them
	Broken      bool          // nothing of the project will be indexed until somebody mends the queue
	AllProjects int           // projects that wait
	AllPaths    int           // changes that wait
}

// BacklogOf sums up a list of what waits; mine tells what is of the project.
func BacklogOf(list []Waiting, mine func(Waiting) bool) (b Backlog) {
	for _, x := range list {
		if mine(x) && x.Broken != "" {
			b.Broken = true
		}
		if x.Paths == 0 {
			continue
		}
		b.AllProjects, b.AllPaths = b.AllProjects+1, b.AllPaths+x.Paths
		if mine(x) || x.Project == "" { // which may be any project's
			b.Paths, b.Oldest = b.Paths+x.Paths, max(b.Oldest, x.Oldest)
		}
	}
	return b
}
