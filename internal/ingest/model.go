package ingest

import (
	"context"
	"errors"
	"fmt"

	"github.com/contextd/contextd/internal/analyze"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/search"
)

// modelOf is what documents are made with.
func modelOf(e embed.Embedder) search.Model {
	return search.Model{Embedder: e.Name(), Dims: e.Dims(), Analyzer: analyze.Version}
}

// target is what an index should be made with. Dimensions that a server has not told yet are assumed to be those of what there
// is already, the next version first; 0 if there is nothing of its.
func (in *Ingester) target(p search.Project) (want search.Model, assumed bool) {
	want = modelOf(in.opts.Embedder)
	if _, remote := in.opts.Embedder.(embed.Remote); !remote || want.Dims > 0 {
		return want, false
	}
	for _, m := range []search.Model{p.Next.Model, p.Model} {
		with := want
		if with.Dims = m.Dims; with == m && m.Dims > 0 {
			return m, true
		}
	}
	return want, false
}

// ready makes the dimensions of a target known. The error is a failure of the server.
func (in *Ingester) ready(ctx context.Context, target *search.Model) error {
	server, remote := in.opts.Embedder.(embed.Remote)
	if !remote {
		return nil
	}
	if err := server.Ready(); err != nil {
		return err
	}
	if target.Dims > 0 {
		return nil
	}
	if err := server.Probe(ctx); err != nil {
		return err
	}
	target.Dims = server.Dims()
	return nil
}

// servedBy is how documents are made for an index of a model that serves until the next one is built. Where its embedder cannot
// be had (nil), or its analyzer, they only stand in for what it should hold: without vectors, with words that may differ a
// little. Such a file is found, and rebuilt should the index ever be the wanted one again.
func (in *Ingester) servedBy(m search.Model) (e embed.Embedder, standIn bool) {
	switch own := in.opts.Embedder; {
	case m.Embedder == own.Name():
		e = own
	case m.Embedder == embed.None{}.Name():
		e = embed.None{}
	case in.opts.Named != nil:
		e = in.opts.Named(m.Embedder)
	}
	if e != nil && e.Dims() != m.Dims {
		if _, remote := e.(embed.Remote); !remote || e.Dims() > 0 {
			e = nil
		}
	}
	return e, e == nil || m.Analyzer != analyze.Version
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
