package worker

import (
	"context"
	"math"
	"time"

	"github.com/contextd/contextd/internal/queue"
)

// Fairness: a project whose recent runs took long lets others go first, and such projects never hold all workers at
// once.
const (
	costlyTime       = 2 * time.Second // cost from which a project lets cheaper ones go first
	halfLife         = 5 * time.Minute // time in which the cost of a run decays by half
	maxSkippedClaims = 16              // claims that are made to find a cheaper project
	maxCosts         = 10_000          // projects that are remembered
	yieldPause       = time.Second     // how long a costly project waits while costly runs hold all workers but one
)

// cost is the time that a project's recent runs took, with exponential decay.
type cost struct {
	took time.Duration
	at   time.Time
}

func (c cost) decayed(t time.Time) time.Duration {
	return time.Duration(float64(c.took) * math.Exp2(-float64(t.Sub(c.at))/float64(halfLife)))
}

// recentCost returns the time that the project's recent runs took.
func (w *Worker) recentCost(project string) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.costs[project].decayed(time.Now())
}

// addCost adds the time of a run to the cost of its project.
func (w *Worker) addCost(project string, took time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if _, have := w.costs[project]; !have && len(w.costs) >= maxCosts {
		for p, c := range w.costs {
			if c.decayed(now) < costlyTime {
				delete(w.costs, p)
			}
		}
		if len(w.costs) >= maxCosts { // all of them costly: nobody gains by being forgotten
			clear(w.costs)
		}
	}
	w.costs[project] = cost{w.costs[project].decayed(now) + took, now}
}

// claim claims a due project: the first, or if its recent runs were costly, the cheapest of the due projects. The
// others are released behind what is due. It returns nil if no project is due, or only costly ones while costly runs
// hold all workers but one.
func (w *Worker) claim(ctx context.Context) (*queue.Claim, error) {
	best, err := w.queue.Claim(ctx)
	if err != nil || best == nil {
		return nil, err
	}
	least := w.recentCost(best.Project)
	var passed []*queue.Claim
	for least >= costlyTime && len(passed) < maxSkippedClaims {
		c, err := w.queue.Claim(ctx)
		if err != nil || c == nil {
			break
		}
		if x := w.recentCost(c.Project); x < least {
			best, least, c = c, x, best
		}
		passed = append(passed, c)
	}
	for _, c := range passed {
		w.release(ctx, c, time.Millisecond)
	}
	if least >= costlyTime && !w.mayRun(best.Project) {
		w.release(ctx, best, yieldPause)
		return nil, nil
	}
	return best, nil
}

// mayRun reports whether a costly project may run now: another worker stays free, and no cheaper costly project has
// yielded and waits for its turn. Otherwise mayRun notes that the project yields.
func (w *Worker) mayRun(project string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	now, own := time.Now(), w.costs[project].decayed(time.Now())
	turn := !w.costlyRunsFillWorkers(now)
	for p, since := range w.yieldedAt {
		if now.Sub(since) > 3*yieldPause {
			delete(w.yieldedAt, p)
		} else if p != project && w.costs[p].decayed(now) < own {
			turn = false
		}
	}
	if turn {
		delete(w.yieldedAt, project)
	} else if len(w.yieldedAt) < maxCosts {
		w.yieldedAt[project] = now
	}
	return turn
}

func (w *Worker) release(ctx context.Context, c *queue.Claim, d time.Duration) {
	w.reportEnd(ctx, c, "release", func(ctx context.Context) error { return w.queue.Release(ctx, c, d) })
}

// costlyRunsFillWorkers reports whether costly projects hold all workers but one. The caller holds mu.
func (w *Worker) costlyRunsFillWorkers(now time.Time) bool {
	n := 0
	for project, began := range w.running {
		if w.costs[project].decayed(now)+now.Sub(began) >= costlyTime {
			n++
		}
	}
	return w.opts.Workers > 1 && n >= w.opts.Workers-1
}
