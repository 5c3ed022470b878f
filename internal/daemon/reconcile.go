package daemon

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
)

// onStoreBack makes the next round reconcile every project that may be served: requests may have been lost while the
// store was unreachable.
func (d *daemon) onStoreBack() {
	d.reconcileAll.Store(true)
	select {
	case d.storeBack <- struct{}{}:
	default:
	}
}

// reconcileLoop reconciles indexes with the disk: at the start and after an outage of the store those of all projects
// that may be served, and at each tick those of the watched roots.
func (d *daemon) reconcileLoop(ctx context.Context) {
	wait := queue.NewBackOff()
	first := true
	for ctx.Err() == nil {
		next := d.opts.ReconcileInterval
		if err := d.reconcile(ctx, first); err == nil {
			first = false
			wait.Reset()
			d.held.clear(reconciliation)
		} else {
			if d.storeRefusesWrites(ctx, err) {
				d.held.add(reconciliation, 1, err)
			}
			d.log.Debug("not reconciled", obs.KeyError, err)
			next = min(next, wait.NextBackOff())
		}
		t := time.NewTimer(next)
		select {
		case <-ctx.Done():
			t.Stop()
			return
		case <-d.storeBack:
			t.Stop()
		case <-t.C:
		}
	}
}

// reconcile runs one round over all projects. Only a failure of the store is returned; a failure of one project is
// recorded with that project.
func (d *daemon) reconcile(ctx context.Context, first bool) (err error) {
	all := d.reconcileAll.Swap(false)
	defer func() {
		if all && err != nil {
			d.reconcileAll.Store(true)
		}
	}()
	everything, fault := d.opts.Backend.All().Index.Projects(ctx)
	if err := d.opts.Backend.Mine(fault); err != nil {
		return err
	}
	projects := d.own(everything)
	ids := make([]string, len(projects))
	for i := range projects {
		ids[i] = projects[i].ID
	}
	if err := d.opts.Backend.KeepUses(ctx, ids); err != nil {
		d.log.Warn("old notes of questions not removed", obs.KeyError, err)
	}
	waiting, err := d.queue.Waiting(ctx, "")
	if err != nil {
		return err
	}
	busy := map[string]bool{}
	for _, w := range waiting {
		busy[search.IndexOf(projects, w.Project, w.Root)] = true
	}
	gone, err := d.opts.Backend.Gone(ctx)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, p := range projects {
		watched := slices.Contains(d.watch, p.Root)
		missing, ok := d.mayServe(p.Root)
		switch {
		case !ok:
			continue
		case missing:
			if err := d.handleMissingRoot(ctx, p, gone[p.ID]); err != nil {
				return err
			}
			continue
		}
		if _, was := gone[p.ID]; was {
			if err := d.handleReturnedRoot(ctx, p); err != nil {
				return err
			}
			continue
		}
		seen[p.Root] = seen[p.Root] || watched
		// At the start the watcher asks for a rescan itself.
		// A rebuild may have lost its process.
		if !all && (!first && !watched && !p.Next.Exists() || first && watched || d.served.walkedRecently(p.ID, time.Now())) {
			continue
		}
		// The run that is to come may do, or may look at its own paths alone: a busy project is passed over once.
		if busy[p.ID] && !first && !all && d.served.skipOnce(p.ID) {
			continue
		}
		if err := d.reconcileProject(ctx, p); err != nil {
			return err
		}
	}
	for id := range gone { // removed by others
		if !slices.ContainsFunc(projects, func(p search.Project) bool { return p.ID == id }) {
			if err := d.opts.Backend.NoteGone(ctx, id, backend.Gone{}); err != nil {
				return err
			}
		}
	}
	for _, root := range d.watch { // its index was removed
		id := search.IndexOfRoot(everything, root)
		if missing, _ := d.mayServe(root); first || missing || seen[root] || busy[id] || fault != nil || !d.opts.Backend.Owns(id) {
			continue
		}
		if err := d.requestRefresh(ctx, queue.Request{Project: id, Root: root}); err != nil {
			return err
		}
	}
	return d.settleMoved(ctx, everything)
}

// mayServe reports whether a root lies under an allowed one, and whether it is missing.
func (d *daemon) mayServe(root string) (missing, ok bool) {
	_, err := d.allowed.Confine(root)
	missing = errors.Is(err, sandbox.ErrMissing) || errors.Is(err, sandbox.ErrNotDirectory)
	return missing, err == nil || missing
}

// reconcileProject compares disk and index of one project and requests a refresh if they differ.
func (d *daemon) reconcileProject(ctx context.Context, p search.Project) error {
	d.served.remember(p.ID, p.Root)
	began := time.Now()
	differs, err := d.opts.Ingester.Differs(ctx, p)
	d.served.noteWalk(p.ID, began, time.Now())
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		d.log.Warn("project not checked", obs.KeyProject, p.ID, obs.KeyError, err)
		d.opts.Backend.NoteFailure(ctx, p.ID, err)
		return nil
	case differs || p.Failed != "":
		d.log.Debug("index differs from disk", obs.KeyProject, p.ID)
		return d.requestRefresh(ctx, queue.Request{Project: p.ID, Root: p.Root})
	}
	return d.index.Confirm(ctx, p.ID, began)
}
