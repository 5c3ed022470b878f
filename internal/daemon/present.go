package daemon

import (
	"context"
	"time"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/queue"
)

// present keeps this daemon registered. A store that has forgotten it was flushed or replaced, and has forgotten the rest
// as well: all that was served is asked for again.
func (d *daemon) present(ctx context.Context, mark *backend.Mark) {
	tick := time.NewTicker(backend.RegisterEvery)
	defer tick.Stop()
	rebuilt := d.queueRebuilt()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		lost := d.register(ctx, mark)
		if now := d.queueRebuilt(); now && !rebuilt {
			rebuilt, lost = now, true
		}
		if lost && ctx.Err() == nil {
			d.log.Warn("the store has lost its data: everything is indexed again")
			d.again(ctx)
		}
	}
}

// register is one registration; a failure is logged, the next tick tries again.
func (d *daemon) register(ctx context.Context, mark *backend.Mark) (lost bool) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	lost, err := d.opts.Backend.Register(ctx, d.self, mark)
	if err != nil {
		d.log.Debug("not registered", obs.KeyError, err)
	}
	switch {
	case err == nil:
		d.held.end(registration)
	case d.refused(ctx, err):
		d.held.add(registration, 0, err)
	}
	return lost
}

// leave tells others that this daemon is gone.
func (d *daemon) leave() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := d.opts.Backend.Unregister(ctx, d.self); err != nil {
		d.log.Debug("not taken out", obs.KeyError, err)
	}
}

// queueRebuilt reports whether the embedded queue had to be made anew.
func (d *daemon) queueRebuilt() bool {
	q, ok := d.queue.(interface{ Rebuilt() bool })
	return ok && q.Rebuilt()
}

// again asks for all that this daemon has served.
func (d *daemon) again(ctx context.Context) {
	for project, root := range d.served.all() {
		if err := d.ask(ctx, queue.Request{Project: project, Root: root}); err != nil {
			d.log.Warn("refresh not asked for", obs.KeyProject, project, obs.KeyError, err)
		}
	}
}

// ask pushes one request.
func (d *daemon) ask(ctx context.Context, r queue.Request) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	r.At = time.Now()
	_, err := d.queue.Push(ctx, r)
	return err
}
