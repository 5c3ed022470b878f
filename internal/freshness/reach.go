package freshness

import (
	"context"
	"errors"
	"time"

	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/waits"
)

const (
	reachShare = 4                      // of what is left of a deadline, a wait for a generation leaves the answer one part in so many
	pollFirst  = 10 * time.Millisecond  // pause after the first look at a record; each further one is twice as long
	pollMost   = 100 * time.Millisecond // up to this
)

// Reach waits until the index of the target has at least a generation, whoever commits it, and leaves the answer a
// quarter of what is left of the deadline. It says nothing: the generation that the answer is from tells whether it
// came in time. A store that does not answer is not waited for.
func (l *Look) Reach(ctx context.Context, generation int64) {
	if generation <= 0 {
		return
	}
	left := l.Left()
	ctx, cancel := context.WithTimeout(ctx, left-left/reachShare)
	defer cancel()
	defer waits.Begin(ctx)()
	poll(ctx, pollMost, func() bool {
		p, err := l.keeper.record(ctx, l.target.IndexID())
		if err != nil {
			return !errors.Is(err, search.ErrNoProject)
		}
		return p.Root == l.target.Root && p.Generation >= generation
	})
}

// poll calls done until it is true or ctx ends, at first soon again, then with a pause of most. It reports whether done
// was.
func poll(ctx context.Context, most time.Duration, done func() bool) bool {
	for pause := pollFirst; !done(); pause = min(2*pause, most) {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(pause):
		}
	}
	return true
}
