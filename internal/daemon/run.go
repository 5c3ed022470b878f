package daemon

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/presence"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/watch"
)

// learnEvery is between two tries to learn the dimensions of an embedding server that does not answer.
const learnEvery = time.Minute

// run is a daemon on all its servers.
type run struct {
	opts  Options
	log   *slog.Logger
	watch []string
	each  []*daemon // one where there are not several servers
}

// run starts a goroutine for each duty and waits for all of them.
func (r *run) run(ctx context.Context, l net.Listener) error {
	if len(r.opts.Allow) == 0 {
		r.log.Warn("no allowed root: every request will be refused", "hint", "give --watch DIR or --allow-root DIR")
	}
	marks := make([]presence.Mark, len(r.each))
	var first sync.WaitGroup
	for i, d := range r.each {
		first.Go(func() {
			d.register(ctx, &marks[i]) // before others can see us ready
			d.served.update(d.listProjects(ctx))
		})
	}
	first.Wait()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var duties sync.WaitGroup
	duty := func(work func(context.Context) error) {
		duties.Go(func() {
			if err := work(ctx); err != nil && ctx.Err() == nil {
				stop(err)
			} else if err != nil {
				r.log.Warn("stopped", obs.KeyError, err)
			}
		})
	}
	duty(func(ctx context.Context) error { return obs.Serve(ctx, l, obs.Handler(r.ready), r.log) })
	duty(func(ctx context.Context) error { r.opts.Ingester.LearnDims(ctx, learnEvery); return nil })
	for i, d := range r.each {
		d.start(ctx, &marks[i], duty)
	}
	r.tellUnlisted()
	if len(r.each) > 1 {
		duty(func(ctx context.Context) error { r.noteServers(ctx); return nil })
	}
	if r.opts.Spool != nil {
		duty(func(ctx context.Context) error { r.opts.Spool.Run(ctx, r.push, r.log); return nil })
	}
	watcher := watch.New(r.log, r.opts.Sandbox)
	for _, root := range r.watch {
		duty(func(ctx context.Context) error { r.each[0].watchRoot(ctx, watcher, root); return nil })
	}
	told := []any{"backend", r.opts.Backend.Name, "listen", l.Addr().String(), "watch", r.watch, "allow", r.opts.Allow}
	if names := r.opts.Backend.Names(); names != nil {
		told = append(told, "servers", names)
	}
	r.log.Info("daemon runs", told...)
	duties.Wait()
	for _, d := range r.each {
		d.rebuilds.Wait()
		d.unregister()
	}
	r.log.Info("daemon stopped")
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

// push pushes a request of the spool to the queue; the drain checks its root like any other.
func (r *run) push(ctx context.Context, q queue.Request) error {
	jobs, err := r.opts.Backend.Queue()
	if err == nil {
		_, err = jobs.Push(ctx, q)
	}
	return err
}

// ready implements /readyz: the store answers and takes this daemon's changes. Of several servers one is enough; what
// is wrong with the others is a *backend.Partly.
func (r *run) ready(ctx context.Context) error {
	if len(r.each) == 1 {
		return r.each[0].ready(ctx)
	}
	errs := make([]error, len(r.each))
	var asked sync.WaitGroup
	for i, d := range r.each {
		asked.Go(func() { errs[i] = d.ready(ctx) })
	}
	asked.Wait()
	return r.opts.Backend.Ready(ctx, r.opts.Backend.Fault(errs))
}

// heldBack is the number of changes that are held back from all servers.
func (r *run) heldBack() (n int) {
	for _, d := range r.each {
		n += d.held.count()
	}
	return n
}
