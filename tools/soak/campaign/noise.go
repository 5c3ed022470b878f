package campaign

import (
	"sync"
	"time"
)

// kept is how long a measurement is of use.
const kept = 2 * time.Minute

// Noise is how late the machine makes everybody: what children that do nothing took, and how much later than asked a sleep
// ended. It is safe for use by several goroutines.
type Noise struct {
	mu   sync.Mutex
	seen []sample // in the order of their ends
	all  []time.Duration
}

type sample struct {
	from, to time.Time
	late     time.Duration
}

// Add notes that between from and to somebody who did nothing was late by so much.
func (n *Noise) Add(from, to time.Time, late time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.seen, n.all = append(n.seen, sample{from, to, late}), append(n.all, late)
	for len(n.seen) > 0 && to.Sub(n.seen[0].to) > kept {
		n.seen = n.seen[1:]
	}
}

// Beside is the worst that was measured at any time between from and to; false if nothing was.
func (n *Noise) Beside(from, to time.Time) (worst time.Duration, measured bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, s := range n.seen {
		if s.to.Before(from) || s.from.After(to) {
			continue
		}
		worst, measured = max(worst, s.late), true
	}
	return worst, measured
}
