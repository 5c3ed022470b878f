package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
)

// A project is removed when its root has been missing for removeMissingAfter, across restarts of the daemon, and this
// daemon has observed it missing for minObservedMissing: some file systems are mounted late when a machine starts.
const (
	removeMissingAfter = 24 * time.Hour
	minObservedMissing = 10 * time.Minute
)

// handleMissingRoot records that a project's root is missing, and removes the project once that has lasted a day.
func (d *daemon) handleMissingRoot(ctx context.Context, p search.Project, noted backend.Gone) error {
	now := d.opts.Now()
	here := now.Sub(d.served.noteMissing(p.ID, p.Root, now))
	if noted.Root != p.Root || noted.Since.After(now) { // or a clock was set back
		noted = backend.Gone{Root: p.Root, Since: now.UTC()}
		if err := d.opts.Backend.NoteGone(ctx, p.ID, noted); err != nil {
			return err
		}
		d.log.Warn("root is missing", obs.KeyProject, p.ID, obs.KeyRoot, p.Root)
	}
	if now.Sub(noted.Since) < removeMissingAfter || here < minObservedMissing {
		if p.Failed == "" {
			d.opts.Backend.NoteFailure(ctx, p.ID, fmt.Errorf("root %q: %w", p.Root, sandbox.ErrMissing))
		}
		return nil
	}
	d.log.Warn("root gone for a day: project removed", obs.KeyProject, p.ID, obs.KeyRoot, p.Root)
	var locked *search.LockedError
	if err := d.index.Remove(ctx, p.ID, 0); errors.As(err, &locked) {
		return nil // somebody knows better; the next round looks again
	} else if err != nil {
		return err
	}
	d.served.forget(p.ID)
	d.opts.Backend.NoteRemoved(ctx, p.ID)
	if err := d.dropQueued(ctx, p); err != nil {
		return err
	}
	return d.opts.Backend.NoteGone(ctx, p.ID, backend.Gone{})
}

// dropQueued removes the pending changes of the root of a removed project; those of the project's other roots stay.
func (d *daemon) dropQueued(ctx context.Context, p search.Project) error {
	left, err := d.projects(ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(left, func(o search.Project) bool { return o.ProjectID() == p.ProjectID() }) {
		return d.queue.Forget(ctx, p.ProjectID())
	}
	mark, err := d.queue.Mark(ctx)
	if err != nil {
		return err
	}
	return d.queue.DropUntil(ctx, p.ID, p.Root, mark)
}

// handleReturnedRoot requests a refresh of a project whose root was missing and exists again.
func (d *daemon) handleReturnedRoot(ctx context.Context, p search.Project) error {
	d.log.Info("root is back", obs.KeyProject, p.ID, obs.KeyRoot, p.Root)
	d.served.noteReturned(p.ID)
	if err := d.requestRefresh(ctx, queue.Request{Project: p.ID, Root: p.Root}); err != nil {
		return err
	}
	return d.opts.Backend.NoteGone(ctx, p.ID, backend.Gone{})
}
