package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v4"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/eviction"
	"github.com/contextd/contextd/internal/githist"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/presence"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/queue/spool"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/worker"
)

// Options of a daemon.
type Options struct {
	Backend  *backend.Backend
	Ingester *ingest.Ingester
	Sandbox  sandbox.Options
	StateDir string
	Spool    *spool.Spool // where requests wait while the store takes none; nil: nowhere
	// folders to watch, which are allowed; one must exist, the others are watched once they appear
	Watch             []string
	Allow             []string      // folders that may be indexed, absolute; they need not exist
	Listen            string        // host:port for metrics and health
	ReconcileInterval time.Duration // 0 means 30 s
	Workers           int           // projects indexed at once; 0 means 2
	Log               *slog.Logger
	Listening         func(net.Addr)   // called once the address is open; may be nil
	Now               func() time.Time // what time it is; nil means time.Now
}

// WithDefaults fills what is not set.
func (o Options) WithDefaults() Options {
	if o.ReconcileInterval == 0 {
		o.ReconcileInterval = 30 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Validate names the first option that is wrong.
func (o Options) Validate() error {
	switch {
	case o.Backend == nil || o.Ingester == nil:
		return errors.New("daemon: want a backend and an ingester")
	case o.ReconcileInterval < 0:
		return fmt.Errorf("reconcile interval must be above 0 (got %v)", o.ReconcileInterval)
	}
	for _, dir := range o.Allow {
		if !filepath.IsAbs(dir) {
			return fmt.Errorf("allowed root %q: want an absolute path", dir)
		}
	}
	return nil
}

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

// lockWait is how long a run waits for another process that writes the same version of the project.
const lockWait = 3 * time.Second

// How long a project is put off while the embedder is down. A run that fails for that reason costs next to nothing.
const (
	outageMin = 2 * time.Second
	outageMax = time.Minute
	// refusedPause is the pause after the embedder refused a project: a key may become valid without a restart of this
	// process.
	refusedPause = 30 * time.Second
)

// handle is the worker's handler: it refreshes the claimed root once.
func (d *daemon) handle(ctx context.Context, c *queue.Claim, progress func()) (_ []queue.Item, err error) {
	ctx, end := obs.Stage(ctx, "run")
	defer func() { end(err, obs.Word("project", c.Project), obs.Count("changes", len(c.Items))) }()
	if !d.opts.Backend.Owns(c.Project) { // it was drained before the list of servers changed
		return c.Items, d.handOn(ctx, queue.Request{Project: code.ProjectOf(c.Project), Root: c.Root, Paths: pathsOf(c.Items)})
	}
	// What the root's name means may have changed since it was accepted.
	root, err := d.allowed.Confine(c.Root)
	fresh := false
	if errors.Is(err, sandbox.ErrNotAllowed) {
		return nil, worker.Fatal(err)
	}
	if err == nil {
		d.served.remember(c.Project, root)
		fresh, err = d.refresh(ctx, c, root, progress)
	}
	var locked *search.LockedError
	switch {
	case errors.As(err, &locked), errors.Is(err, search.ErrLost):
		return nil, worker.RetryAfter(err, time.Second)
	case errors.Is(err, embed.ErrUnavailable): // an outage of the embedder burns no attempts
		return nil, worker.RetryAfter(err, outagePause(err))
	case backend.Full(err) && ctx.Err() == nil:
		wait := d.storeFullPause(ctx, c.Project, root, err)
		return nil, worker.RetryAfter(fmt.Errorf("%s: %w", search.StoreFull, err), wait)
	case err != nil && ctx.Err() == nil:
		d.noteFailure(ctx, c.Project, root, err)
	}
	switch {
	case err == nil:
		return c.Items, nil
	case !errors.Is(err, embed.ErrRefused):
		return nil, err
	}
	// One dead letter tells of it; what comes later waits, without more of them, until somebody has mended it.
	again := d.served.noteRefused(c.Project)
	switch {
	case !again:
		return nil, worker.Fatal(err)
	case fresh:
		return c.Items, nil
	}
	return nil, worker.RetryAfter(err, refusedPause)
}

// noteFailure records a failed run of a root, but not with the index of another root: see Ingester.Refresh.
func (d *daemon) noteFailure(ctx context.Context, index, root string, cause error) {
	if snap, err := d.index.Open(ctx, index); err == nil {
		other := root != "" && snap.Project().Root != root
		if err := snap.Close(); err != nil || other {
			return
		}
	}
	d.opts.Backend.NoteFailure(ctx, index, cause)
}

// outagePause is how long a project is put off after the embedder was unavailable to it.
func outagePause(err error) time.Duration {
	return min(max(embed.RetryAfter(err), outageMin), outageMax)
}

// storeFullPause evicts projects after a run for which the store was full, and returns when to repeat the run. No
// attempt is counted, so a full store never makes a dead letter.
func (d *daemon) storeFullPause(ctx context.Context, project, root string, err error) time.Duration {
	d.noteFailure(ctx, project, root, err)
	wait := queue.BackOffAfter(backoff.NewExponentialBackOff(backoff.WithInitialInterval(outageMin),
		backoff.WithMultiplier(2), backoff.WithRandomizationFactor(0), backoff.WithMaxInterval(outageMax),
		backoff.WithMaxElapsedTime(0)), d.served.noteStoreFull(project))
	if wait == outageMin {
		d.log.Warn("the store is full: the run is repeated until it has room", obs.KeyProject, project,
			"reason", search.StoreFull, obs.KeyError, err,
			"hint", "raise maxmemory, make room on the disk, or remove projects with: indexer reset --project ID")
	}
	if err := d.opts.Backend.Evict(ctx, project, d.requester(root)); err != nil {
		d.log.Debug("no room made", obs.KeyError, err)
	}
	return wait
}

// requester returns who asked for the project of root.
func (d *daemon) requester(root string) eviction.Asker {
	if slices.Contains(d.watch, root) {
		return eviction.Operator
	}
	return eviction.Client
}

// refresh runs one refresh of a claim, and begins to build the next version behind it if one is wanted. fresh: the index
// that serves is up to date, and err is of the next version.
func (d *daemon) refresh(ctx context.Context, c *queue.Claim, root string, progress func()) (fresh bool, err error) {
	paths := pathsOf(c.Items)
	began := time.Now()
	rep, err := d.opts.Ingester.Refresh(ctx,
		ingest.Request{Project: c.Project, Root: root, Paths: paths, Slice: true, Wait: lockWait,
			NewDims:  paths == nil && d.opts.Backend.ModelMarked(ctx, c.Project),
			Progress: func(int, int) { progress() }})
	if rep != nil && rep.Project.ID != c.Project { // that id was another root's
		d.served.forget(c.Project)
		d.served.remember(rep.Project.ID, root)
		own := *c
		own.Project = rep.Project.ID
		c = &own
	}
	if err != nil {
		return rep != nil, err
	}
	if rep.Unfinished { // before this claim ends: the project is at no moment without something that waits
		if err := d.requestRefresh(ctx, queue.Request{Project: c.Project, Root: root}); err != nil {
			return true, fmt.Errorf("ask for the next slice of project %q: %w", c.Project, err)
		}
	}
	if !rep.Rebuild {
		d.served.noteSuccess(c.Project)
	} else if err := d.served.takeRefusal(c.Project); err != nil {
		return true, err
	} else {
		d.rebuild(c.Project, root)
	}
	if paths == nil {
		d.served.noteWalk(c.Project, began, time.Now())
	}
	for reason, n := range rep.Skipped {
		skipped.WithLabelValues(string(reason)).Add(float64(n))
	}
	if rep.Added+rep.Changed > 0 || rep.Unfinished {
		d.evict(ctx, c.Project, root)
	}
	progress()
	past, end := obs.Stage(ctx, "history")
	err = githist.Keep(past, d.index, c.Project, root, githist.Options{Allowed: d.allowed})
	if end(err); err != nil && ctx.Err() == nil {
		d.log.Info("git history not read", obs.KeyProject, c.Project, obs.KeyError, err)
	}
	return true, nil
}

// pathsOf are the paths of items; nil for a rescan.
func pathsOf(items []queue.Item) (paths []code.Path) {
	for _, it := range items {
		if it.Path == queue.Rescan {
			return nil
		}
		paths = append(paths, it.Path)
	}
	return paths
}

// evict keeps the store within its limit after a project has grown.
func (d *daemon) evict(ctx context.Context, project, root string) {
	if err := d.opts.Backend.Evict(ctx, project, d.requester(root)); err != nil {
		d.log.Warn("state not kept within its limit", obs.KeyError, err)
	}
}
