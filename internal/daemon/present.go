package daemon

import (
	"context"
	"errors"
	"time"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/presence"
	"github.com/contextd/contextd/internal/queue"
)

// holdEvery is how often the daemon looks whether the state directory is still its own: two calls of stat.
const holdEvery = time.Second

// present keeps this daemon registered, and the state directory its own. A store that has forgotten it was flushed or replaced,
// and has forgotten the rest as well: all that was served is asked for again. Its error is that of another daemon which has taken
// the state directory.
func (d *daemon) present(ctx context.Context, mark *presence.Mark) error {
	register, hold := time.NewTicker(presence.RegisterEvery), time.NewTicker(holdEvery)
	defer register.Stop()
	defer hold.Stop()
	rebuilt := d.queueRebuilt()
	for {
		lost, kept := false, (*listing)(nil)
		select {
		case <-ctx.Done():
			return nil
		case <-hold.C:
			if d.opts.Backend.Name == backend.Embedded { // where a look costs little
				kept = d.projects(ctx)
			}
			remade, err := d.renew(ctx)
			if err != nil {
				return err
			}
			lost = remade && d.opts.Backend.Name == backend.Embedded
		case <-register.C:
			// What was read before the store was found whole was read from a whole store.
			kept = d.projects(ctx)
			remade, err := d.renew(ctx)
			if err != nil {
				return err
			}
			forgotten, ok := d.register(ctx, mark)
			lost = forgotten || remade && d.opts.Backend.Name == backend.Embedded
			if !ok {
				kept = nil
			}
		}
		if now := d.queueRebuilt(); now && !rebuilt {
			rebuilt, lost = now, true
		}
		switch {
		case ctx.Err() != nil:
		case lost:
			d.log.Warn("the store has lost its data: everything is indexed again")
			d.again(ctx)
		default:
			d.served.see(kept)
		}
	}
}

// renew makes the state directory again, with its lock, if somebody has removed it under this daemon.
func (d *daemon) renew(ctx context.Context) (remade bool, err error) {
	remade, err = d.hold.Renew(ctx)
	switch {
	case errors.Is(err, presence.ErrRunning) && ctx.Err() == nil:
		return false, err
	case err != nil && !d.homeless:
		d.homeless = true
		d.log.Warn("state directory not made again: other processes do not see this daemon", obs.KeyError, err)
	case err == nil:
		d.homeless = false
	}
	if remade {
		d.log.Warn("the state directory was removed or replaced under this daemon: made and locked again", obs.KeyPath, d.opts.StateDir)
		d.markHeld()
	}
	return remade, nil
}

// projects lists what the store holds or is about to; nil if it cannot be read.
func (d *daemon) projects(ctx context.Context) *listing {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	l := &listing{removals: d.served.removals()}
	indexed, err := d.index.Projects(ctx)
	if err != nil {
		return nil
	}
	waiting, err := d.queue.Waiting(ctx, "")
	if err != nil {
		return nil
	}
	for _, p := range indexed {
		if d.served.knows(p.ID, p.Root) {
			l.projects = append(l.projects, project{id: p.ID, root: p.Root, indexed: true})
		} else if missing, ok := d.mayServe(p.Root); ok && !missing {
			l.projects = append(l.projects, project{id: p.ID, root: p.Root, indexed: true})
		}
	}
	for _, w := range waiting {
		l.projects = append(l.projects, project{id: w.Project, root: w.Root})
	}
	return l
}

// register is one registration; a failure is logged, the next tick tries again. ok: the store took it.
func (d *daemon) register(ctx context.Context, mark *presence.Mark) (lost, ok bool) {
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
	return lost, err == nil
}

// leave tells others that this daemon is gone.
func (d *daemon) leave() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := d.opts.Backend.Unregister(ctx, d.self); err != nil {
		d.log.Debug("not taken out", obs.KeyError, err)
	}
}

// queueRebuilt reports whether the embedded queue had to be rebuilt.
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

// ask pushes one request, of a project or the index of one of its roots.
func (d *daemon) ask(ctx context.Context, r queue.Request) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	r.Project, r.At = code.ProjectOf(r.Project), time.Now()
	_, err := d.queue.Push(ctx, r)
	return err
}
