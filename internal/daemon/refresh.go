package daemon

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/eviction"
	"github.com/contextd/contextd/internal/githist"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/queue"
)

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

// requester returns who asked for the project of root.
func (d *daemon) requester(root string) eviction.Asker {
	if slices.Contains(d.watch, root) {
		return eviction.Operator
	}
	return eviction.Client
}
