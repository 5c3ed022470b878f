package daemon

import (
	"context"
	"errors"
	"time"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/search"
)

// rebuildPause is how long a next version is put off that another process is building.
const rebuildPause = 30 * time.Second

// rebuild builds the next version of an index behind the claims of its project, which bring what serves up to date
// meanwhile. One that a dead process left is found by a reconciliation.
func (d *daemon) rebuild(index, root string) {
	r := ingest.Request{Project: index, Root: root, Wait: lockWait}
	d.rebuilds.Start(d.life, d.opts.Ingester, r, func(rep *ingest.Report, err error) time.Duration {
		wait := d.rebuilt(d.life, index, root, rep, err)
		if err != nil {
			d.log.Info("next version put off", obs.KeyProject, index, obs.KeyError, err, "delay", wait)
		}
		return wait
	})
}

// rebuilt deals with the end of a rebuild, and returns how long a failed one is put off.
func (d *daemon) rebuilt(ctx context.Context, index, root string, rep *ingest.Report, err error) time.Duration {
	var locked *search.LockedError
	switch {
	case err == nil:
		d.served.noteSuccess(index)
		if rep.Added+rep.Changed > 0 {
			d.evict(ctx, index, root)
		}
		return 0
	case errors.As(err, &locked):
		return rebuildPause
	case errors.Is(err, embed.ErrUnavailable):
		return outagePause(err)
	case backend.Full(err):
		return d.storeFullPause(ctx, index, root, err)
	case errors.Is(err, embed.ErrRefused): // the next claim makes a dead letter of it
		d.served.keepRefusal(index, err)
		if err := d.requestRefresh(ctx, queue.Request{Project: index, Root: root}); err != nil {
			d.log.Debug("refusal not told", obs.KeyProject, index, obs.KeyError, err)
		}
		return refusedPause
	}
	d.noteFailure(ctx, index, root, err)
	return outageMax
}
