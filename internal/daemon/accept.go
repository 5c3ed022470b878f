package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/sandbox"
)

// accept checks that a request names an allowed root. It replaces the root by its real path and the project by the id
// of the root's index. A request that was sent to another server than the project's is handed on. The real path decides: a link that leads out of the allowed roots is refused. An allowed root
// that does not exist is accepted and retried, for it may appear later.
func (d *daemon) accept(r *queue.Request) error {
	real, err := d.allowed.Confine(r.Root)
	missing := errors.Is(err, sandbox.ErrMissing)
	switch {
	case !d.opts.Backend.Owns(r.Project) && (err == nil || missing):
		return d.accepted(*r)
	case missing:
		return fmt.Errorf("%w: %w", err, queue.ErrRetryLater)
	case err != nil:
		return err
	}
	r.Root = real
	r.Project = d.indexOf(r.Project, real)
	return nil
}

// indexOf returns, and remembers, the id of the index of a project's root: the one that this daemon has served it by,
// the one in the store, or a new one that no other root has.
func (d *daemon) indexOf(project, root string) string {
	if id, ok := d.served.indexOf(project, root, nil); ok {
		return id
	}
	ctx, cancel := context.WithTimeout(context.Background(), listTimeout)
	defer cancel()
	projects, err := d.projects(ctx)
	if err != nil { // a run finds whose index it is, see ingest
		d.log.Debug("roots of a project not read", obs.KeyProject, project, obs.KeyError, err)
	}
	id, _ := d.served.indexOf(project, root, projects)
	d.served.remember(id, root)
	return id
}

// listTimeout is how long the drain of the queue may wait for the list of projects.
const listTimeout = 2 * time.Second
