package daemon

import (
	"errors"
	"fmt"

	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/sandbox"
)

// accept checks that a request names an allowed root and puts its real path there. The root decides, not its name: a link
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
	d.served.note(r.Project, real)
	return nil
}
