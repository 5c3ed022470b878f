package sandbox

import "sync/atomic"

// maxEffort bounds the work of matching one path with all rules in force, in steps of a match: some 20 ms. Beyond it the path
// is left out: a file that should be ignored is never shown because its rules are costly.
const maxEffort = 1 << 22

// tooCostly is the Detail of a path whose rules take too long.
const tooCostly = "its ignore rules take too long to match"

// effort is what is left of the work on one path.
type effort struct {
	left int
	stop *atomic.Bool // set when nobody waits any more
}

func (s *scan) newEffort() effort { return effort{maxEffort, &s.stopped} }

// spend takes n steps.
func (e *effort) spend(n int) { e.left -= n }

// spent reports whether matching has to end.
func (e *effort) spent() bool { return e.left <= 0 || e.stop != nil && e.stop.Load() }
