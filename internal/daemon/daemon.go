package daemon

import (
	"context"
	"log/slog"
	"slices"
	"sync/atomic"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/presence"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/worker"
)

// daemon is one run on one store; on each of several servers there is one.
type daemon struct {
	opts      Options // Backend: of this server
	log       *slog.Logger
	index     search.Index
	queue     queue.Queue
	self      presence.Daemon
	watch     []string // real paths; of a folder that is missing at the start what it was given as
	served    *served
	rebuilds  *ingest.Rebuilds
	life      context.Context // of the run
	held      *heldBack
	all       []*daemon      // of all servers, this one too
	stateLock *presence.Held // the state directory; present renews it. nil but with the first of several servers
	// homeless: the state directory is gone and could not be made again, which was said. Only present uses it.
	stateDirLost bool
	reconcileAll atomic.Bool   // the next reconciliation compares every project that may be served
	storeBack    chan struct{} // one slot: the store answers again

	documentsMoved bool // what other servers are to have is there. Only reconcileLoop uses it

	allowed *sandbox.Allowed // pinned at the start
}

// Run serves until ctx ends, then stops at a safe point within 10 s and returns nil. It returns an error at once when
// it cannot start: another daemon runs on the state directory, the address is in use, or no watched folder exists.
func Run(ctx context.Context, o Options) error {
	o = o.WithDefaults()
	if err := o.Validate(); err != nil {
		return err
	}
	d := &daemon{opts: o, log: o.Log}
	if err := d.resolveWatched(); err != nil {
		return err
	}
	d.opts.Allow = append(slices.Clone(o.Allow), d.watch...)
	d.allowed = sandbox.Allow(d.opts.Allow)
	d.opts.Sandbox.Allowed, d.opts.Ingester = d.allowed, o.Ingester.WithAllowedRoots(d.allowed)
	l, err := obs.Listen(o.Listen)
	if err != nil {
		return err
	}
	defer l.Close()
	if err := o.Backend.Refused(ctx); err != nil {
		return err
	}
	d.self = o.Backend.Self(d.allowed.Tops(), d.watch)
	lock, err := presence.Hold(ctx, o.StateDir, d.self)
	if err != nil {
		return err
	}
	defer lock.Release()
	run := &run{opts: d.opts, log: o.Log, watch: d.watch}
	for _, server := range o.Backend.Servers() {
		one, err := d.on(server)
		if err != nil {
			return err
		}
		run.each = append(run.each, one)
	}
	run.each[0].stateLock = lock
	for _, one := range run.each {
		one.all = run.each
		one.openHeldMark()
		defer one.held.clearMark()
	}
	remove, err := run.metrics()
	if err != nil {
		return err
	}
	defer remove()
	if o.Listening != nil {
		o.Listening(l.Addr())
	}
	return run.run(ctx, l)
}

// on is d on one server.
func (d *daemon) on(server *backend.Backend) (*daemon, error) {
	o := d.opts
	o.Backend = server
	if name := server.Server(); name != "" {
		o.Log = o.Log.With("server", name)
	}
	q, err := server.Queue()
	if err != nil {
		return nil, err
	}
	return &daemon{opts: o, log: o.Log, index: server.Index, queue: q, self: d.self, watch: d.watch, served: newServed(),
		rebuilds: ingest.NewRebuilds(max(o.Workers, 2)), held: newHeldBack(o.Log, nil), storeBack: make(chan struct{}, 1),
		allowed: d.allowed}, nil
}

// start begins the duties of one server; register has told it of this daemon.
func (d *daemon) start(ctx context.Context, mark *presence.Mark, duty func(func(context.Context) error)) {
	d.life = ctx
	w := worker.New(d.queue, d.handle, worker.Options{Workers: d.opts.Workers, Log: d.log})
	duty(func(ctx context.Context) error {
		queue.DrainLoop(ctx, &wakingQueue{Queue: d.queue, worker: w, onRecovery: d.onStoreBack}, d.accept, d.log)
		return nil
	})
	duty(w.Run)
	duty(func(ctx context.Context) error { return d.keepPresence(ctx, mark) })
	duty(func(ctx context.Context) error { d.opts.Backend.Removals(ctx, d.served.remove); return nil })
	duty(func(ctx context.Context) error { d.reconcileLoop(ctx); return nil })
}

// wakingQueue is a queue that wakes the worker when drained messages become due, and calls onRecovery when Drain
// succeeds after a failure. Only one goroutine drains it.
type wakingQueue struct {
	queue.Queue
	worker     *worker.Worker
	onRecovery func()
	down       bool // the last Drain failed
}

func (q *wakingQueue) Drain(ctx context.Context, accept func(*queue.Request) error) (int, error) {
	n, err := q.Queue.Drain(ctx, accept)
	if q.down && err == nil {
		q.onRecovery()
	}
	q.down = err != nil
	if n > 0 {
		q.worker.WakeAfter(queue.Debounce)
	}
	return n, err
}
