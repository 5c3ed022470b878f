package worker

import (
	"context"
	"math"
	"time"

	"github.com/contextd/contextd/internal/queue"
)

// Fair shares: a project whose runs took long lately lets others go first, and never holds all workers together with its like.
const (
	costly    = 2 * time.Second // a project that took more of late waits for cheaper ones
	halfLife  = 5 * time.Minute // in which what a run took counts half
	maxPassed = 16              // claims that are looked at to find a cheaper one
	maxCosts  = 10_000          // projects that are remembered
	standBack = time.Second     // how long a costly project waits while its like hold all workers but one
)

// cost is the time that a project's runs took, fading.
type cost struct {
	took time.Duration
	at   time.Time
}

func (c cost) now(t time.Time) time.Duration {
	return time.Duration(float64(c.took) * math.Exp2(-float64(t.Sub(c.at))/float64(halfLife)))
}

// costOf is what the project's runs took of late.
func (w *Worker) costOf(project string) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.costs[project].now(time.Now())
}

// charge adds a run to what its project took.
func (w *Worker) charge(project string, took time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if _, have := w.costs[project]; !have && len(w.costs) >= maxCosts {
		for p, c := range w.costs {
			if c.now(now) < costly {
				delete(w.costs, p)
			}
		}
		if len(w.costs) >= maxCosts { // all of them costly: nobody gains by being forgotten
			clear(w.costs)
		}
	}
	w.costs[project] = cost{w.costs[project].now(now) + took, now}
}

// claim takes a due project: the first, or where that one was costly of late the cheapest of those that are due. The others go
// behind what is due. nil: none is due, or only costly ones while their like hold all workers but one.
func (w *Worker) claim(ctx context.Context) (*queue.Claim, error) {
	best, err := w.q.Claim(ctx)
	if err != nil || best == nil {
		return nil, err
	}
	least := w.costOf(best.Project)
	var passed []*queue.Claim
	for least >= costly && len(passed) < maxPassed {
		c, err := w.q.Claim(ctx)
		if err != nil || c == nil {
			break
		}
		if x := w.costOf(c.Project); x < least {
			best, least, c = c, x, best
		}
		passed = append(passed, c)
	}
	for _, c := range passed {
		w.giveBack(ctx, c, time.Millisecond)
	}
	if least >= costly && !w.mayRun(best.Project) {
		w.giveBack(ctx, best, standBack)
		return nil, nil
	}
	return best, nil
}

// mayRun reports whether a costly project may run now: its like leave another worker free, and none of them that cost less stands
// back for its turn. Else it stands back itself.
func (w *Worker) mayRun(project string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	now, own := time.Now(), w.costs[project].now(time.Now())
	turn := !w.crowded(now)
	for p, since := range w.stood {
		if now.Sub(since) > 3*standBack {
			delete(w.stood, p)
		} else if p != project && w.costs[p].now(now) < own {
			turn = false
		}
	}
	if turn {
		delete(w.stood, project)
	} else if len(w.stood) < maxCosts {
		w.stood[project] = now
	}
	return turn
}

func (w *Worker) giveBack(ctx context.Context, c *queue.Claim, d time.Duration) {
	w.tell(ctx, c, "release", func(ctx context.Context) error { return w.q.Release(ctx, c, d) })
}

// crowded reports whether costly projects hold all workers but one; mu is held.
func (w *Worker) crowded(now time.Time) bool {
	n := 0
	for project, began := range w.running {
		if w.costs[project].now(now)+now.Sub(began) >= costly {
			n++
		}
	}
	return w.opts.Workers > 1 && n >= w.opts.Workers-1
}
