package retrieve

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/githist"
	"github.com/contextd/contextd/internal/rank"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
)

// look is one look into a project: what its searches have in common.
type look struct {
	rt       *Retriever
	snap     search.Snapshot
	embedder embed.Embedder
	vector   []float32 // of the question
	past     []*githist.Part
}

// search answers from a snapshot, the named files beside the question.
func (rt *Retriever) search(ctx context.Context, req Request, snap search.Snapshot, reply *Reply) error {
	p := snap.Project()
	mode, err := rt.Index.Mode(ctx)
	if err != nil {
		return err
	}
	if mode == search.Names {
		reply.add(SearchUnsupported)
	}
	l := &look{rt: rt, snap: snap}
	l.embedder, l.vector = rt.embed(ctx, req, p.Model, mode, reply)
	l.past = rt.past(ctx, p.ID)
	if req.Named == nil {
		return l.answer(ctx, req, reply)
	}
	named := req.named()
	also := NewReply(named)
	var beside sync.WaitGroup
	beside.Go(func() {
		if err := l.answer(ctx, named, also); err != nil {
			rt.missing(ctx, named, also, err)
		}
	})
	err = l.answer(ctx, req, reply)
	beside.Wait()
	reply.Named = also.finish(time.Now()).Results
	for _, r := range also.Reasons {
		reply.add(r)
	}
	return err
}

// answer nominates, ranks and serves.
func (l *look) answer(ctx context.Context, req Request, reply *Reply) error {
	q := rank.Parse(req.Text)
	q.Embedder = l.embedder.Name()
	hits := githist.Search(q.Terms(), l.past...)
	found, err := l.snap.Nominate(ctx, search.Query{Words: q.Words, Names: q.Names, Vector: l.vector, Langs: req.Langs, Globs: req.Globs,
		Paths: hits.Paths(maxWanted)})
	if err != nil {
		return err
	}
	if found.Building {
		reply.add(IndexBuilding)
	}
	if found.Partial {
		reply.add(Deadline)
	}
	root, err := sandbox.Open(l.snap.Project().Root, l.rt.Sandbox)
	if err != nil { // the root went away under its index
		reply.add(IndexStale)
		return nil
	}
	defer root.Close()
	l.newServing(req, q, found, hits, root, reply).serve(ctx)
	return nil
}

// embed makes the question's vector with the embedder that the index names, in half of the time that is left. Without a vector the
// answer is found by words.
func (rt *Retriever) embed(ctx context.Context, req Request, m search.Model, mode search.Mode, reply *Reply) (embed.Embedder, []float32) {
	if m.Dims == 0 || mode != search.Full {
		if mode == search.Full && rt.Vectors {
			reply.add(EmbedderUnavailable)
		}
		return embed.None{}, nil
	}
	e := rt.Embedder(m.Embedder)
	if e == nil {
		reply.add(EmbedderUnavailable)
		return embed.None{}, nil
	}
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(end)/2)
		defer cancel()
	}
	vector, err := e.Query(ctx, req.Text)
	if err == nil && len(vector) != m.Dims {
		err = fmt.Errorf("embed the question: %d numbers where the index has %d: %w", len(vector), m.Dims, embed.ErrDimensions)
	}
	if err != nil {
		rt.Log.Debug("question not embedded", "error", err)
		reply.add(EmbedderUnavailable)
		return embed.None{}, nil
	}
	return e, vector
}
