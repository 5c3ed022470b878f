package sandbox

import "sync"

// Checker gives the verdicts of Root.Check on many paths, with the rules of the folders above them read once: they are
// those of the first path that needs them. It is safe for concurrent use while its Root is open.
type Checker struct {
	root *Root
	mu   sync.Mutex // guards p
	p    *prober    // nil before the first path
}

// NewChecker makes a Checker; it reads nothing yet.
func (r *Root) NewChecker() *Checker { return &Checker{root: r} }

// Check is Root.Check.
func (c *Checker) Check(path string) (File, Skipped) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.p == nil {
		c.p = c.root.newProber()
	}
	c.p.forgetNames()
	return c.p.check(path)
}
