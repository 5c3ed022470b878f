package ingest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/contextd/contextd/internal/analyze"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/search"
)

// modelOf returns the model of documents that are made with e.
func modelOf(e embed.Embedder) search.Model {
	return search.Model{Embedder: e.Name(), Dims: e.Dims(), Analyzer: analyze.Version}
}

// targetModel returns the model that the index of p should have. While the embedding server has not reported its
// dimensions, those of the next or the serving version are assumed if the same embedder made it; else they are 0.
func (in *Ingester) targetModel(p search.Project) (want search.Model, assumed bool) {
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

// ensureDims asks the embedding server for the dimensions of a target unless they are known. Its error is a failure of
// the server.
func (in *Ingester) ensureDims(ctx context.Context, target *search.Model) error {
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

// LearnDims asks the embedding server for its dimensions until it has answered, with every between two tries, or until
// ctx ends. Until then runs assume those that an index has, and one that embeds nothing would never learn that another
// model answers now, with which no question can be compared.
func (in *Ingester) LearnDims(ctx context.Context, every time.Duration) {
	for {
		target := search.Model{}
		if err := in.ensureDims(ctx, &target); err == nil {
			return
		}
		select {
		case <-time.After(every):
		case <-ctx.Done():
			return
		}
	}
}

// recheckEvery is how often the embedding server is asked at most whether its dimensions are what they were.
const recheckEvery = 10 * time.Second

// recheckTime bounds that: the refresh does not depend on it.
const recheckTime = 5 * time.Second

// recheckDims asks the embedding server for a vector that nobody keeps: where its length is another one, the embedder
// forgets the old one, and the run learns it anew. A run that embeds nothing would not notice.
func (in *Ingester) recheckDims(ctx context.Context) {
	server, remote := in.opts.Embedder.(embed.Remote)
	now := time.Now()
	last := in.rechecked.Load()
	if !remote || server.Dims() == 0 || server.Ready() != nil || now.UnixNano()-last < int64(recheckEvery) ||
		!in.rechecked.CompareAndSwap(last, now.UnixNano()) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, recheckTime)
	defer cancel()
	text := embed.Text{Body: "the dimensions at " + now.Format(time.RFC3339Nano)}
	if _, err := server.Documents(ctx, []embed.Text{text}); err != nil {
		in.opts.Log.Info("dimensions of the embedding server checked", obs.KeyError, err)
	}
	if server.Dims() == 0 {
		_ = in.ensureDims(ctx, &search.Model{}) // else the run learns it
	}
}

// embedderFor returns the embedder for an index of model m that serves until the next version is built. If m's embedder
// is not available (nil) or its analyzer is another one, new documents are stand-ins: without vectors, or with words
// that may differ a little. Stand-ins are marked and rebuilt if that model ever becomes the target again.
func (in *Ingester) embedderFor(m search.Model) (e embed.Embedder, standIn bool) {
	switch own := in.opts.Embedder; {
	case m.Embedder == own.Name():
		e = own
	case m.Embedder == embed.None{}.Name():
		e = embed.None{}
	case in.opts.EmbedderByName != nil:
		e = in.opts.EmbedderByName(m.Embedder)
	}
	if e != nil && e.Dims() != m.Dims {
		if _, remote := e.(embed.Remote); !remote || e.Dims() > 0 {
			e = nil
		}
	}
	return e, e == nil || m.Analyzer != analyze.Version
}

// projectRecord returns the index's record of a project; zero if there is none.
func (in *Ingester) projectRecord(ctx context.Context, project string) (search.Project, error) {
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
