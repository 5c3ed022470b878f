package queue

import (
	"cmp"
	"time"
)

// Limits bound what may wait. Above them a project counts as stale and the queue as backlogged.
type Limits struct {
	StaleAfter      time.Duration // age of a project's oldest change; 0 means 1 min
	BacklogProjects int           // projects that wait; 0 means 100
	BacklogPaths    int           // changes that wait; 0 means 10,000
}

// WithDefaults fills what is zero.
func (l Limits) WithDefaults() Limits {
	l.StaleAfter = cmp.Or(l.StaleAfter, time.Minute)
	l.BacklogProjects = cmp.Or(l.BacklogProjects, 100)
	l.BacklogPaths = cmp.Or(l.BacklogPaths, 10_000)
	return l
}
