package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v4"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/worker"
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
