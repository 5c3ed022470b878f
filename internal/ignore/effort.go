package ignore

import "sync/atomic"

// maxEffort bounds the work of matching one path with all rules in force, in steps of a match: some 20 ms. Beyond it
// the path is left out: a file that should be ignored is never shown because its rules are costly.
const maxEffort = 1 << 22

// Effort is what is left of the work on one path.
type Effort struct {
	left int
	stop *atomic.Bool // set when nobody waits any more
}

// NewEffort is the effort that one path may take. Matching ends once stop is set; nil: nothing ends it.
func NewEffort(stop *atomic.Bool) Effort { return Effort{maxEffort, stop} }

// spend takes n steps.
func (e *Effort) spend(n int) { e.left -= n }

// Spent reports whether matching has to end.
func (e *Effort) Spent() bool { return e.left <= 0 || e.stop != nil && e.stop.Load() }
