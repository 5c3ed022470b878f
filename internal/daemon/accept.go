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

// accept checks that a request names an allowed root and puts its real path there, and the id of its index in place of the project's. The root decides, not its name: a link
// that leads out of the allowed roots is refused. An allowed root that does not exist may come: it is tried again.
func (d *daemon) accept(r *queue.Request) error {
	real, err := d.allowed.Confine(r.Root)
	switch {
	case errors.Is(err, sandbox.ErrMissing):
		return fmt.Errorf("%w: %w", err, queue.ErrRetryLater)
	case err != nil:
		return err
	}
	r.Root = real
	r.Project = d.indexOf(r.Project, real)
	return nil
}

// indexOf is the id of the index of a project's root: the one that this daemon has served it by, the one in the store, or a new one
// that no other root has. It is remembered.
func (d *daemon) indexOf(project, root string) string {
	if id, ok := d.served.indexOf(project, root, nil); ok {
		return id
	}
	ctx, cancel := context.WithTimeout(context.Background(), listTime)
	defer cancel()
	projects, err := d.index.Projects(ctx)
	if err != nil { // a run finds whose index it is, see ingest
		d.log.Debug("roots of a project not read", obs.KeyProject, project, obs.KeyError, err)
	}
	id, _ := d.served.indexOf(project, root, projects)
	d.served.note(id, root)
	return id
}

// listTime is how long the drain of the queue may wait for the list of projects.
const listTime = 2 * time.Second
