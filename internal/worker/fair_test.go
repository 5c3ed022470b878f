package worker

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contextd/contextd/internal/queue"
)

// line is a queue that hands out what is due first. Projects in always ask again at once, as if they had asked while
// they ran.
type line struct {
	script
	always map[string]bool

	lock sync.Mutex
	due  map[string]time.Time
}

func (q *line) ask(project string, at time.Time) {
	q.lock.Lock()
	defer q.lock.Unlock()
	q.due[project] = at
}

func (q *line) Claim(context.Context) (*queue.Claim, error) {
	q.lock.Lock()
	defer q.lock.Unlock()
	first, now := "", time.Now()
	for p, at := range q.due {
		if !at.After(now) && (first == "" || at.Before(q.due[first]) || at.Equal(q.due[first]) && p < first) {
			first = p
		}
	}
	if first == "" {
		return nil, nil
	}
	delete(q.due, first)
	return claim(first, 0), nil
}

func (q *line) Done(_ context.Context, c *queue.Claim, _ []queue.Item) error {
	if q.always[c.Project] {
		q.ask(c.Project, time.Now().Add(-time.Hour)) // long due
	}
	return nil
}

func (q *line) Release(_ context.Context, c *queue.Claim, d time.Duration) error {
	q.ask(c.Project, time.Now().Add(d))
	return nil
}

// work takes d, or less where ctx ends.
func work(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// TestCheapProjectStartsWithinOneSliceOfCostlyOnes: projects that ask all the time and take long hold neither all
// workers nor the first place.
func TestCheapProjectStartsWithinOneSliceOfCostlyOnes(t *testing.T) {
	t.Parallel()
	const slice = 10 * time.Second
	for name, costly := range map[string][]string{"two for two workers": {"a", "b"}, "more than workers": {"a", "b", "c", "d", "e"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				q := &line{always: map[string]bool{}, due: map[string]time.Time{}}
				for _, p := range costly {
					q.always[p] = true
					q.ask(p, time.Now())
				}
				var mu sync.Mutex
				began := map[string][]time.Time{}
				w := New(q, func(ctx context.Context, c *queue.Claim, progress func()) ([]queue.Item, error) {
					mu.Lock()
					began[c.Project] = append(began[c.Project], time.Now())
					mu.Unlock()
					if slices.Contains(costly, c.Project) {
						work(ctx, slice)
					}
					return c.Items, nil
				}, Options{})
				ended := make(chan error, 1)
				go func() { ended <- w.Run(ctx) }()
				time.Sleep(time.Duration(len(costly)) * slice) // until all are known
				for range 20 {
					time.Sleep(7 * time.Second)
					asked := time.Now()
					q.ask("innocent", asked)
					time.Sleep(slice + time.Second)
					mu.Lock()
					starts := began["innocent"]
					if len(starts) == 0 || starts[len(starts)-1].Before(asked) {
						t.Errorf("it waits for more than a slice, asked at %v", asked)
					}
					mu.Unlock()
				}
				for _, p := range costly {
					if n := len(began[p]); n < 2 {
						t.Errorf("%s ran %d times", p, n)
					}
				}
				cancel()
				if err := <-ended; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestCostlyProjectAloneIsNotHeldUp: without others a project runs as often as it asks.
func TestCostlyProjectAloneIsNotHeldUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		q := &line{always: map[string]bool{"a": true}, due: map[string]time.Time{"a": time.Now()}}
		var runs atomic.Int32
		w := New(q, func(ctx context.Context, c *queue.Claim, progress func()) ([]queue.Item, error) {
			runs.Add(1)
			work(ctx, 10*time.Second)
			return c.Items, nil
		}, Options{})
		ended := make(chan error, 1)
		go func() { ended <- w.Run(ctx) }()
		time.Sleep(100*time.Second + time.Second)
		if n := runs.Load(); n < 10 {
			t.Errorf("%d runs of 10 s in 100 s", n)
		}
		cancel()
		<-ended
	})
}

// TestRunThatTakesTooLongIsStopped: progress does not make a run endless.
func TestRunThatTakesTooLongIsStopped(t *testing.T) {
	t.Parallel()
	s := &script{claims: []*queue.Claim{claim("web", 0)}}
	got := play(t, s, func(ctx context.Context, _ *queue.Claim, progress func()) ([]queue.Item, error) {
		for ctx.Err() == nil {
			progress()
			time.Sleep(time.Second)
		}
		return nil, context.Cause(ctx)
	}, 11*time.Minute)
	if calls := got[max(0, len(got)-len("retry web")):]; calls != "retry web" {
		t.Errorf("said %q", got)
	}
}
