package doctor

import (
	"context"
	"fmt"

	"github.com/contextd/contextd/internal/backend"
)

// maxKeys is how many faults of the queue's keys are told.
const maxKeys = 5

// queueKeys names the keys of the queue that another program has written, each with the command that mends it.
func queueKeys(ctx context.Context, o Options) (checks []Check) {
	const name = "queue keys"
	faults, err := o.Backend.QueueFaults(ctx)
	switch err = whole(err); {
	case err != nil:
		return []Check{fail(name, err.Error(), seeLog)}
	case o.Backend.Name != backend.Redis:
		return nil
	case len(faults) == 0:
		return []Check{pass(name, "as they should be")}
	}
	for _, f := range faults[:min(len(faults), maxKeys)] {
		detail := f.Detail
		if f.Project != "" {
			detail = fmt.Sprintf("project %q: %s", f.Project, detail)
		}
		checks = append(checks, fail(name, detail, f.Hint))
	}
	if n := len(faults) - maxKeys; n > 0 {
		checks = append(checks, fail(name, fmt.Sprintf("%d more", n), "mend these first"))
	}
	return checks
}
