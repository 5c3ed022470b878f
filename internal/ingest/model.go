package ingest

import (
	"context"
	"errors"
	"fmt"

	"github.com/contextd/contextd/internal/analyze"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
)

// modelOf is what documents are made with.
func modelOf(e embed.Embedder) search.Model {
	return search.Model{Embedder: e.Name(), Dims: e.Dims(), Analyzer: analyze.Version}
}

// suits reports whether an index that was made with m goes on with what is used here. Dimensions that a server has not told yet
// are taken to be those of the index.
func (in *Ingester) suits(m search.Model) bool {
	want := modelOf(in.opts.Embedder)
	if _, remote := in.opts.Embedder.(embed.Remote); remote && want.Dims == 0 {
		want.Dims = m.Dims
	}
	return m == want
}

// withVectors refreshes with the embedder that is set. Where a project has an index of its, a run that embeds nothing asks the
// server nothing: it goes on with the dimensions of the index, and starts anew if the server then has others.
func (in *Ingester) withVectors(ctx context.Context, r Request, root *sandbox.Root) (*Report, error) {
	e, model := in.opts.Embedder, modelOf(in.opts.Embedder)
	server, remote := e.(embed.Remote)
	if !remote {
		return in.write(ctx, r, root, e, model)
	}
	if err := server.Ready(); err != nil {
		return nil, fmt.Errorf("refresh project %q: %w", r.Project, err)
	}
	assumed := false
	if model.Dims == 0 && !r.Full {
		p, err := in.record(ctx, r.Project)
		if err != nil {
			return nil, err
		}
		if assumed = p.Model.Dims > 0 && in.suits(p.Model); assumed {
			model.Dims = p.Model.Dims
		}
	}
	if model.Dims == 0 {
		if err := server.Probe(ctx); err != nil {
			return nil, fmt.Errorf("refresh project %q: %w", r.Project, err)
		}
		model.Dims = e.Dims()
	}
	report, err := in.write(ctx, r, root, e, model)
	if now := e.Dims(); assumed && errors.Is(err, embed.ErrDimensions) && now > 0 && now != model.Dims {
		model.Dims = now
		return in.write(ctx, r, root, e, model)
	}
	return report, err
}

// wordsOnly makes or refreshes an index without vectors, unless there is one with vectors of this root: that one goes on
// serving, and waits.
func (in *Ingester) wordsOnly(ctx context.Context, r Request, root *sandbox.Root) (*Report, error) {
	p, err := in.record(ctx, r.Project)
	if err != nil || p.Generation > 0 && p.Root == root.Path() && p.Model.Dims > 0 {
		return nil, err
	}
	none := embed.None{}
	return in.write(ctx, r, root, none, modelOf(none))
}

// record is what the index knows of a project; zero if nothing.
func (in *Ingester) record(ctx context.Context, project string) (search.Project, error) {
	snap, err := in.index.Open(ctx, project)
	if errors.Is(err, search.ErrNoProject) {
		return search.Project{}, nil
	}
	if err != nil {
		return search.Project{}, fmt.Errorf("open project %q: %w", project, err)
	}
	defer snap.Close()
	return snap.Project(), nil
}
