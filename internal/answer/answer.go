package answer

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/freshness"
	"github.com/contextd/contextd/internal/retrieve"
)

// Options of an Answerer.
type Options struct {
	Access    *access.Finder
	Fresh     *freshness.Keeper
	Retriever *retrieve.Retriever
	Embedded  bool          // finding the project is no part of a question's deadline
	Caps      retrieve.Caps // of an index, by which Why and Skipped explain what is left out
	Log       *slog.Logger  // nil: none
}

// Answerer answers questions on an open store. Safe for concurrent use.
type Answerer struct {
	opts      Options
	log       *slog.Logger
	access    *access.Finder
	fresh     *freshness.Keeper
	retriever *retrieve.Retriever
}

// New makes an answerer.
func New(o Options) *Answerer {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return &Answerer{opts: o, log: o.Log, access: o.Access, fresh: o.Fresh, retriever: o.Retriever}
}

// Query finds the project, sees to its index as when says, and asks. progress, which may be nil, is called by First.
// An error is one of the question: no such root, or one that may not be read.
func (a *Answerer) Query(
	ctx context.Context, req retrieve.Request, w access.Where, when freshness.When, progress func(done, total int),
) (*retrieve.Reply, error) {
	req, fault, err := a.aim(ctx, req, w)
	if err != nil {
		return nil, err
	}
	return a.ask(ctx, req, fault, when, progress)
}

// aim gives a request its target and its paths as that has them.
func (a *Answerer) aim(
	ctx context.Context, req retrieve.Request, w access.Where,
) (_ retrieve.Request, fault, err error) {
	began := time.Now()
	req = req.WithDefaults()
	t, fault, err := a.access.Resolve(ctx, w, req.Deadline)
	if err != nil {
		return req, fault, err
	}
	req.Target = t
	if req, err = req.Within(w); err != nil {
		return req, fault, err
	}
	if !a.opts.Embedded {
		req.Deadline = max(req.Deadline-time.Since(began), time.Millisecond)
	}
	return req, fault, nil
}

func (a *Answerer) ask(
	ctx context.Context, req retrieve.Request, fault error, when freshness.When, progress func(done, total int),
) (*retrieve.Reply, error) {
	if fault != nil {
		return a.retriever.Failed(req, fault), nil
	}
	if req.Target.Foreign {
		return a.retriever.Query(ctx, req), nil
	}
	look, err := a.fresh.Ready(ctx, req.Target, req.Deadline, when, progress)
	if err != nil {
		return nil, err
	}
	look.Reach(ctx, req.MinGeneration)
	req.Deadline = look.Left()
	whole := look.Whole(ctx)
	reply := a.retriever.Query(ctx, req, reasons(look.Notes)...)
	if reply.Err != nil {
		whole()
		return nil, reply.Err
	}
	if lost := whole(); len(lost) > 0 {
		reply.Without(retrieve.IndexBuilding) // what is gone is not coming
		reply.With(reasons(lost)...)
	}
	if reply.Status == retrieve.Empty {
		reply.With(reasons(look.Nothing(ctx))...)
	}
	return reply, nil
}

// Usages finds the lines that name an identifier, as Query answers a question: w and when mean the same.
func (a *Answerer) Usages(
	ctx context.Context, u retrieve.UsagesRequest, w access.Where, when freshness.When, progress func(done, total int),
) (*retrieve.Usages, error) {
	req, fault, err := a.aim(ctx, retrieve.Request{Deadline: u.Deadline}, w)
	if err != nil {
		return nil, err
	}
	u.Target, u.Deadline = req.Target, req.Deadline
	if fault != nil {
		return a.retriever.FailedUsages(u, fault), nil
	}
	if u.Target.Foreign {
		return a.retriever.Usages(ctx, u), nil
	}
	look, err := a.fresh.Ready(ctx, u.Target, u.Deadline, when, progress)
	if err != nil {
		return nil, err
	}
	u.Deadline = look.Left()
	return a.retriever.Usages(ctx, u, reasons(look.Notes)...), nil
}

// Prepare makes the index of a project ready for a question of a command, as Query does with First. The reasons are
// what is to be said against an answer that follows.
func (a *Answerer) Prepare(
	ctx context.Context, w access.Where, deadline time.Duration, progress func(done, total int),
) ([]retrieve.Reason, error) {
	t, fault, err := a.access.Resolve(ctx, w, deadline)
	if err != nil || fault != nil || t.Foreign {
		return nil, err
	}
	notes, err := a.fresh.Prepare(ctx, t, deadline, progress)
	return reasons(notes), err
}
