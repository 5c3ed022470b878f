package daemon

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/search"
)

// rebuildPause is how long a next version is put off that another process is building.
const rebuildPause = 30 * time.Second

// rebuilds are the next versions that this daemon builds. Each is built behind the claims of its project, which bring
// what serves up to date meanwhile. One that a dead process left is found by a reconciliation. Safe for concurrent use.
type rebuilds struct {
	turns chan struct{} // one for each that is at work
	wg    sync.WaitGroup

	mu      sync.Mutex
	ctx     context.Context  // of all; nil: the daemon does not run
	running map[string]bool  // by index
	refused map[string]error // by index: that of the last one, which its next claim tells of
}

func newRebuilds(workers int) *rebuilds {
	if workers <= 0 {
		workers = 2
	}
	return &rebuilds{turns: make(chan struct{}, workers), running: map[string]bool{}, refused: map[string]error{}}
}

// serve lets rebuilds run until ctx ends, and waits for them.
func (r *rebuilds) serve(ctx context.Context) {
	r.mu.Lock()
	r.ctx = ctx
	r.mu.Unlock()
	<-ctx.Done()
	r.mu.Lock()
	r.ctx = nil
	r.mu.Unlock()
	r.wg.Wait()
}

// start runs build in the background, in its turn, unless the next version of the index is being built already. Its
// error is that of the last one, if the embedder refused it; nothing is started then.
func (r *rebuilds) start(index string, build func(context.Context)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.refused[index]
	delete(r.refused, index)
	if err != nil || r.ctx == nil || r.running[index] {
		return err
	}
	r.running[index] = true
	ctx := r.ctx
	r.wg.Go(func() {
		select {
		case r.turns <- struct{}{}:
			build(ctx)
			<-r.turns
		case <-ctx.Done():
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.running, index)
	})
	return nil
}

// refuse keeps an error for the next claim of an index, which makes a dead letter of it.
func (r *rebuilds) refuse(index string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refused[index] = err
}

// isRunning reports whether the next version of an index is being built here.
func (r *rebuilds) isRunning(index string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.running[index]
}

// rebuild begins to build the next version of a project's index.
func (d *daemon) rebuild(index, root string) error {
	return d.rebuilds.start(index, func(ctx context.Context) {
		ctx, end := obs.Stage(ctx, "rebuild")
		rep, err := d.opts.Ingester.Refresh(ctx, ingest.Request{Project: index, Root: root, Next: true, Wait: lockWait})
		end(err, obs.Word("project", index))
		d.rebuilt(ctx, index, root, rep, err)
	})
}

// rebuilt deals with the end of a rebuild. A failure puts it off; one of an embedder that has refused it is also told to
// the next claim.
func (d *daemon) rebuilt(ctx context.Context, index, root string, rep *ingest.Report, err error) {
	wait := outageMax
	var locked *search.LockedError
	switch {
	case err == nil:
		d.served.noteSuccess(index)
		if rep.Added+rep.Changed > 0 {
			d.evict(ctx, index, root)
		}
		return
	case ctx.Err() != nil: // what is made is kept
		return
	case errors.As(err, &locked), errors.Is(err, search.ErrLost):
		wait = rebuildPause
	case errors.Is(err, embed.ErrUnavailable):
		wait = outagePause(err)
	case backend.Full(err):
		wait = d.storeFullPause(ctx, index, root, err)
	case errors.Is(err, embed.ErrRefused):
		d.rebuilds.refuse(index, err)
		wait = 0
	default:
		d.noteFailure(ctx, index, root, err)
	}
	d.log.Info("next version put off", obs.KeyProject, index, obs.KeyError, err, "delay", wait)
	d.served.resumeAt(index, time.Now().Add(wait))
}
