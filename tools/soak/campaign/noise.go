package campaign

import (
	"sync"
	"time"
)

// kept is how long a measurement is of use.
const kept = 2 * time.Minute

// Noise is how late the machine makes everybody: what children that do nothing took, how many times that is the
// processor's time that they were given, and how much later than asked a sleep ended. It is safe for use by several
// goroutines.
type Noise struct {
	mu   sync.Mutex
	seen []sample // in the order of their ends
	all  []time.Duration
}

type sample struct {
	from, to time.Time
	late     time.Duration
	slow     float64
}

// Add notes that between from and to somebody who did nothing was late by so much, and needed slow times the
// processor's time that it used; 0 if it used none.
func (n *Noise) Add(from, to time.Time, late time.Duration, slow float64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.seen, n.all = append(n.seen, sample{from, to, late, slow}), append(n.all, late)
	for len(n.seen) > 0 && to.Sub(n.seen[0].to) > kept {
		n.seen = n.seen[1:]
	}
}

// Beside is how late the machine may have made somebody who used so much of the processor's time between from and to,
// by the worst that was measured then; false if nothing was.
func (n *Noise) Beside(from, to time.Time, cpu time.Duration) (worst time.Duration, measured bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, s := range n.seen {
		if s.to.Before(from) || s.from.After(to) {
			continue
		}
		worst, measured = max(worst, s.late, time.Duration(float64(cpu)*(s.slow-1))), true
	}
	return worst, measured
}
