package retrieve

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/search"
)

// Queue tells what waits to be indexed, of a target and in all.
type Queue interface {
	Waiting(ctx context.Context, t access.Target) (queue.Backlog, error)
}

// Asker asks whoever keeps a project fresh for a refresh: of paths, or of all if paths is nil. It decides whether there
// is somebody to ask and whether it was asked only just now, and never waits for the work.
type Asker interface {
	Ask(ctx context.Context, project, root string, paths []code.Path)
	// AskModel asks to look whether the embedder makes vectors of another length than the index holds.
	AskModel(ctx context.Context, t access.Target)
}

// missing explains why a project could not be opened or searched and, if it or a part just is not there, asks for it.
func (rt *Retriever) missing(ctx context.Context, req Request, reply *Reply, err error) {
	if rt.note(reply, err) == IndexMissing && rt.opts.Asker != nil {
		rt.opts.Asker.Ask(ctx, req.Target.Project, req.Target.Root, nil)
	}
}

// stale notes what waited to be indexed before the project was opened. It returns true when nothing may be served
// because of it: of a request that wants nothing stale, when anything waits, or so much of all projects that nobody can
// tell.
func (rt *Retriever) stale(req Request, p search.Project, w queue.Backlog, err error, reply *Reply) bool {
	if err != nil {
		rt.note(reply, err)
	}
	limits := rt.opts.Limits.WithDefaults()
	backlog := w.AllProjects > limits.BacklogProjects || w.AllPaths > limits.BacklogPaths
	old := p.Failed != "" || w.Broken || w.Paths > 0 && w.Oldest > limits.StaleAfter
	known := slices.Contains(reply.Reasons, ChangesWaiting) || slices.Contains(reply.Reasons, IndexStale)
	skip := req.Gates.Stale == gates.Skip &&
		(err != nil || w.Paths > 0 || old || backlog || known || p.Generation < req.MinGeneration)
	switch {
	case skip || old:
		reply.add(IndexStale)
	case w.Paths > 0:
		reply.add(ChangesWaiting)
	}
	if strings.HasPrefix(p.Failed, search.StoreFull+":") {
		reply.add(StoreFull)
	}
	if backlog {
		reply.add(Backlog)
	}
	return skip
}

// waiting asks the queue, in half of the time that is left: a long one must not cost the answer.
func (rt *Retriever) waiting(ctx context.Context, t access.Target) (queue.Backlog, error) {
	if rt.opts.Queue == nil {
		return queue.Backlog{}, nil
	}
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(end)/2)
		defer cancel()
	}
	return rt.opts.Queue.Waiting(ctx, t)
}
