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

// stateLockInterval is how often the daemon checks that it still holds the state directory. A check is two calls of
// stat.
const stateLockInterval = time.Second

// keepPresence renews this daemon's registration and its lock on the state directory. A store that has lost the
// registration was flushed or replaced and has lost the indexes too: a refresh of all served projects is requested.
// keepPresence returns an error only when another daemon has taken the state directory.
func (d *daemon) keepPresence(ctx context.Context, mark *presence.Mark) error {
	register, hold := time.NewTicker(presence.RegisterEvery), time.NewTicker(stateLockInterval)
	defer register.Stop()
	defer hold.Stop()
	rebuilt := d.queueRebuilt()
	if d.stateLock == nil {
		hold.Stop() // that is the first server's to hold
	}
	for {
		lost, kept := false, (*listing)(nil)
		select {
		case <-ctx.Done():
			return nil
		case <-hold.C:
			if d.opts.Backend.Name == backend.Embedded { // where a look costs little
				kept = d.listProjects(ctx)
			}
			remade, err := d.renewStateLock(ctx)
			if err != nil {
				return err
			}
			lost = remade && d.opts.Backend.Name == backend.Embedded
		case <-register.C:
			// What was read before the store was found whole was read from a whole store.
			kept = d.listProjects(ctx)
			remade, err := d.renewStateLock(ctx)
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
			d.requestAllServed(ctx)
		default:
			d.served.update(kept)
		}
	}
}

// renewStateLock creates and locks the state directory again if somebody has removed or replaced it under this daemon.
func (d *daemon) renewStateLock(ctx context.Context) (remade bool, err error) {
	if d.stateLock == nil {
		return false, nil
	}
	remade, err = d.stateLock.Renew(ctx)
	switch {
	case errors.Is(err, presence.ErrRunning) && ctx.Err() == nil:
		return false, err
	case err != nil && !d.stateDirLost:
		d.stateDirLost = true
		d.log.Warn("state directory not made again: other processes do not see this daemon", obs.KeyError, err)
	case err == nil:
		d.stateDirLost = false
	}
	if remade {
		d.log.Warn("the state directory was removed or replaced under this daemon: made and locked again",
			obs.KeyPath, d.opts.StateDir)
		for _, one := range d.all {
			one.openHeldMark()
		}
	}
	return remade, nil
}

// listProjects lists the projects that the store holds or that wait in its queue; nil if it cannot be read.
func (d *daemon) listProjects(ctx context.Context) *listing {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	l := &listing{removals: d.served.removals()}
	indexed, err := d.projects(ctx)
	if err != nil {
		return nil
	}
	waiting, err := d.queue.Waiting(ctx, "")
	if err != nil {
		return nil
	}
	for _, p := range indexed {
		if d.served.hasRoot(p.ID, p.Root) {
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

// register registers this daemon in the store once; a failure is logged and the next tick retries. ok: the store took
// it.
func (d *daemon) register(ctx context.Context, mark *presence.Mark) (lost, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	lost, err := d.opts.Backend.Register(ctx, d.self, mark)
	if err != nil {
		d.log.Debug("not registered", obs.KeyError, err)
	}
	switch {
	case err == nil:
		d.held.clear(registration)
	case d.storeRefusesWrites(ctx, err):
		d.held.add(registration, 0, err)
	}
	return lost, err == nil
}

// unregister removes this daemon's registration.
func (d *daemon) unregister() {
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

// requestAllServed requests a refresh of every root that this daemon has served.
func (d *daemon) requestAllServed(ctx context.Context) {
	for project, root := range d.served.allRoots() {
		if err := d.requestRefresh(ctx, queue.Request{Project: project, Root: root}); err != nil {
			d.log.Warn("refresh not asked for", obs.KeyProject, project, obs.KeyError, err)
		}
	}
}

// requestRefresh pushes one request for a project or the index of one of its roots.
func (d *daemon) requestRefresh(ctx context.Context, r queue.Request) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	r.Project, r.At = code.ProjectOf(r.Project), time.Now()
	_, err := d.queue.Push(ctx, r)
	return err
}
