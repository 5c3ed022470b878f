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

// Handler brings the claimed project up to date. It calls progress whenever it got further, at least every few seconds, and
// ends soon after ctx does, at a safe point. It returns the items that are done. Those left without an error are claimed
// again at once; with an error handled does not count, for repeating done work costs little.
type Handler func(ctx context.Context, c *queue.Claim, progress func()) (handled []queue.Item, err error)

// Queue is what a worker needs of queue.Queue.
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
	Poll            time.Duration // between two looks for due projects; 0 means 250 ms (see Soon)
	ProgressTimeout time.Duration // how long a run may make no progress; 0 means 2 min
	MaxRun          time.Duration // how long a run may take at all; 0 means 10 min
	MaxAttempts     int           // runs of a request that may fail, from 1; 0 means queue.MaxAttempts
	Log             *slog.Logger
}

// WithDefaults is o with what is not set filled in.
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

// stopTime is how long Run waits for runs to end once its context is done; with what the queue then needs, Run returns
// within 10 s.
const stopTime = 7 * time.Second

// Worker runs a handler on what a queue has due.
type Worker struct {
	q    Queue
	h    Handler
	opts Options

	look chan struct{} // a run ended, or something is due about now; one slot
	wg   sync.WaitGroup

	mu      sync.Mutex           // guards running, costs and stood
	running map[string]time.Time // when the handler of a project that has not returned began
	costs   map[string]cost      // by project
	stood   map[string]time.Time // when a costly project last gave its turn away
}

// New makes a worker; unset options take their defaults.
func New(q Queue, h Handler, opts Options) *Worker {
	return &Worker{q: q, h: h, opts: opts.WithDefaults(), look: make(chan struct{}, 1), running: map[string]time.Time{}, costs: map[string]cost{}, stood: map[string]time.Time{}}
}

// Run claims and runs projects until ctx is done. Then it claims no more, cancels what runs and gives the claims back, all
// within 10 s; the error names runs that did not end in time. To be called once.
func (w *Worker) Run(ctx context.Context) error {
	if err := w.opts.Validate(); err != nil {
		return err
	}
	slots := make(chan struct{}, w.opts.Workers)
	wait := queue.NewBackOff()
	down := false
	for w.take(ctx, slots) {
		c, err := w.claim(ctx)
		switch {
		case ctx.Err() != nil && c == nil:
		case err != nil:
			if !down {
				w.opts.Log.Error("queue gives no work", obs.KeyError, err)
			}
			down = true
			<-slots
			w.pause(ctx, wait.NextBackOff(), false)
			continue
		case down:
			down = false
			wait.Reset()
			w.opts.Log.Info("queue gives work again")
		}
		if c == nil {
			<-slots
			w.pause(ctx, w.opts.Poll, true)
			continue
		}
		w.start(ctx, c, slots)
	}
	return w.drain()
}

// take waits for a free slot; false when ctx is done.
func (w *Worker) take(ctx context.Context, slots chan struct{}) bool {
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

// Soon makes a worker that is idle look for due projects in d, though its next look is later: whoever knows that something
// will be due then spares it half of Options.Poll on average.
func (w *Worker) Soon(d time.Duration) { time.AfterFunc(d, w.wake) }

func (w *Worker) wake() {
	select {
	case w.look <- struct{}{}:
	default:
	}
}

// pause waits for d, or shorter if there is reason to look: a run that ends may have left something.
func (w *Worker) pause(ctx context.Context, d time.Duration, wake bool) {
	t := time.NewTimer(d)
	defer t.Stop()
	look := w.look
	if !wake {
		look = nil
	}
	select {
	case <-t.C:
	case <-look:
	case <-ctx.Done():
	}
}

// start runs c in a slot unless its project's last run, which lost its lease, has not ended yet.
func (w *Worker) start(ctx context.Context, c *queue.Claim, slots chan struct{}) {
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
			w.tell(ctx, c, "release", func(ctx context.Context) error { return w.q.Release(ctx, c, time.Second) })
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

// drain waits for the runs to end.
func (w *Worker) drain() error {
	done := make(chan struct{})
	go func() {
		w.wg.Wait()
		close(done)
	}()
	t := time.NewTimer(stopTime)
	defer t.Stop()
	select {
	case <-done:
		return nil
	case <-t.C:
		w.mu.Lock()
		defer w.mu.Unlock()
		return fmt.Errorf("%d runs did not end within %v", len(w.running), stopTime)
	}
}
