package worker

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/queue"
)

var (
	runs = obs.Metric(prometheus.NewCounterVec(prometheus.CounterOpts{Name: "contextd_index_runs_total",
		Help: "Runs that brought a project up to date, by how they ended."}, []string{"result"}))
	runsOK        = runs.WithLabelValues("ok")
	runsError     = runs.WithLabelValues("error")
	runsCancelled = runs.WithLabelValues("cancelled")
	runSeconds    = obs.Metric(prometheus.NewHistogram(prometheus.HistogramOpts{Name: "contextd_index_run_seconds",
		Help: "Duration of a run that was not cancelled.", Buckets: prometheus.ExponentialBuckets(0.005, 2.5, 12)}))
)

// Handler refreshes the claimed project. It calls progress whenever it has made progress, at least every few seconds,
// and ends soon after ctx does, at a safe point. It returns the items that are done. Those left without an error are
// claimed again at once; with an error handled does not count, for repeating done work costs little.
type Handler func(ctx context.Context, c *queue.Claim, progress func()) (handled []queue.Item, err error)

// Queue is the part of queue.Queue that a worker uses.
type Queue interface {
	Claim(ctx context.Context) (*queue.Claim, error)
	Renew(ctx context.Context, c *queue.Claim) error
	Done(ctx context.Context, c *queue.Claim, handled []queue.Item) error
	Retry(ctx context.Context, c *queue.Claim, delay time.Duration) error
	Release(ctx context.Context, c *queue.Claim, delay time.Duration) error
	Bury(ctx context.Context, c *queue.Claim, reason string) error
}

// Options of a Worker.
type Options struct {
	Workers         int           // projects at once, from 1; 0 means 2
	Poll            time.Duration // between two checks for due projects; 0 means 250 ms (see WakeAfter)
	ProgressTimeout time.Duration // longest time without progress in a run; 0 means 2 min
	MaxRun          time.Duration // longest time of a run; 0 means 10 min
	MaxAttempts     int           // runs of a request that may fail, from 1; 0 means queue.MaxAttempts
	Log             *slog.Logger
}

// WithDefaults returns o with unset options filled in.
func (o Options) WithDefaults() Options {
	o.Workers = cmp.Or(o.Workers, 2)
	o.Poll = cmp.Or(o.Poll, 250*time.Millisecond)
	o.ProgressTimeout = cmp.Or(o.ProgressTimeout, 2*time.Minute)
	o.MaxRun = cmp.Or(o.MaxRun, 10*time.Minute)
	o.MaxAttempts = cmp.Or(o.MaxAttempts, queue.MaxAttempts)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return o
}

// Validate returns an error that names what is out of range.
func (o Options) Validate() error {
	switch {
	case o.Workers < 1:
		return fmt.Errorf("workers must be at least 1 (got %d)", o.Workers)
	case o.Poll <= 0:
		return fmt.Errorf("poll must be above 0 (got %v)", o.Poll)
	case o.ProgressTimeout <= 0:
		return fmt.Errorf("progress timeout must be above 0 (got %v)", o.ProgressTimeout)
	case o.MaxRun <= 0:
		return fmt.Errorf("max run must be above 0 (got %v)", o.MaxRun)
	case o.MaxAttempts < 1:
		return fmt.Errorf("max attempts must be at least 1 (got %d)", o.MaxAttempts)
	}
	return nil
}

// stopTimeout is how long Run waits for runs to end once its context is done; with what the queue then needs, Run
// returns within 10 s.
const stopTimeout = 7 * time.Second

// Worker runs a handler on the due projects of a queue.
type Worker struct {
	queue   Queue
	handler Handler
	opts    Options

	wakeup chan struct{} // a run ended, or something is due about now; one slot
	wg     sync.WaitGroup

	mu        sync.Mutex           // guards running, costs and stood
	running   map[string]time.Time // when the handler of a project that has not returned began
	costs     map[string]cost      // by project
	yieldedAt map[string]time.Time // when a costly project last gave its turn away
}

// New returns a worker; unset options take their defaults.
func New(q Queue, h Handler, opts Options) *Worker {
	return &Worker{queue: q, handler: h, opts: opts.WithDefaults(), wakeup: make(chan struct{}, 1), running: map[string]time.Time{}, costs: map[string]cost{}, yieldedAt: map[string]time.Time{}}
}

// Run claims and runs projects until ctx is done. Then it claims no more, cancels what runs and gives the claims back,
// all within 10 s; the error names runs that did not end in time. To be called once.
func (w *Worker) Run(ctx context.Context) error {
	if err := w.opts.Validate(); err != nil {
		return err
	}
	slots := make(chan struct{}, w.opts.Workers)
	wait := queue.NewBackOff()
	down := false
	for w.acquireSlot(ctx, slots) {
		c, err := w.claim(ctx)
		switch {
		case ctx.Err() != nil && c == nil:
		case err != nil:
			if !down {
				w.opts.Log.Error("queue gives no work", obs.KeyError, err)
			}
			down = true
			<-slots
			w.waitForWork(ctx, wait.NextBackOff(), false)
			continue
		case down:
			down = false
			wait.Reset()
			w.opts.Log.Info("queue gives work again")
		}
		if c == nil {
			<-slots
			w.waitForWork(ctx, w.opts.Poll, true)
			continue
		}
		w.startRun(ctx, c, slots)
	}
	return w.waitForRuns()
}

// acquireSlot waits for a free slot. It returns false when ctx is done.
func (w *Worker) acquireSlot(ctx context.Context, slots chan struct{}) bool {
	select {
	case <-ctx.Done():
		return false
	default:
	}
	select {
	case slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// WakeAfter makes an idle worker check for due projects after d, before its next poll. A caller that knows when a
// project becomes due saves it half of Options.Poll on average.
func (w *Worker) WakeAfter(d time.Duration) { time.AfterFunc(d, w.wake) }

func (w *Worker) wake() {
	select {
	case w.wakeup <- struct{}{}:
	default:
	}
}

// waitForWork waits for d; with wake set, it returns early when a run has ended or WakeAfter fires.
func (w *Worker) waitForWork(ctx context.Context, d time.Duration, wake bool) {
	look := w.wakeup
	if !wake {
		look = nil
	}
	select {
	case <-time.After(d):
	case <-look:
	case <-ctx.Done():
	}
}

// startRun runs c in a slot. It releases c if a previous run of its project, which lost its lease, has not ended yet.
func (w *Worker) startRun(ctx context.Context, c *queue.Claim, slots chan struct{}) {
	w.mu.Lock()
	_, busy := w.running[c.Project]
	if !busy {
		w.running[c.Project] = time.Now()
	}
	w.mu.Unlock()
	w.wg.Go(func() {
		defer func() {
			<-slots
			w.wake()
		}()
		if busy {
			w.reportEnd(ctx, c, "release", func(ctx context.Context) error { return w.queue.Release(ctx, c, time.Second) })
			return
		}
		defer func() {
			w.mu.Lock()
			delete(w.running, c.Project)
			w.mu.Unlock()
		}()
		w.run(ctx, c)
	})
}

// waitForRuns waits until all runs have ended, stopTimeout at most.
func (w *Worker) waitForRuns() error {
	done := make(chan struct{})
	go func() {
		w.wg.Wait()
		close(done)
	}()
	t := time.NewTimer(stopTimeout)
	defer t.Stop()
	select {
	case <-done:
		return nil
	case <-t.C:
		w.mu.Lock()
		defer w.mu.Unlock()
		return fmt.Errorf("%d runs did not end within %v", len(w.running), stopTimeout)
	}
}
