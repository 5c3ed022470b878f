package answer

import (
	"context"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/servers"
)

// Skipped lists what is left out of the index of a project.
func (a *Answerer) Skipped(
	ctx context.Context, w access.Where, reason code.Reason, limit int,
) (*retrieve.Skipped, error) {
	t, err := a.find(ctx, w)
	if err != nil {
		return nil, err
	}
	return a.retriever.Skipped(ctx, t, reason, limit, a.opts.Caps)
}

// Why tells what is known of one path.
func (a *Answerer) Why(ctx context.Context, w access.Where, path string) (retrieve.Verdict, error) {
	t, err := a.find(ctx, w)
	if err != nil {
		return retrieve.Verdict{}, err
	}
	return a.retriever.Why(ctx, t, w.Dir, path, a.opts.Caps)
}

// find is the target of what has no deadline: an index that cannot be asked is an error.
func (a *Answerer) find(ctx context.Context, w access.Where) (access.Target, error) {
	projects, fault := a.access.Projects(ctx)
	if fault != nil && !servers.Partial(fault) {
		return access.Target{}, fault
	}
	t, err := a.access.Target(projects, w)
	if err != nil {
		return t, err
	}
	return t, access.FaultOf(t, w, projects, fault)
}
