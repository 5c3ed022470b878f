package redisearch

import (
	"context"
	"fmt"
	"strings"

	"github.com/contextd/contextd/internal/rdb"
)

// A large build in the compact form has two FT indexes over the same chunks: one of their words, which the server reads
// in within seconds, and the graph of their vectors, which takes it minutes. A first build serves as soon as its words
// can be searched; its answers say that the vectors are still being built, and use what the graph holds by then.

// graphOf is the name of the FT index that holds the graph of a large build.
func (w *writer) graphOf(ver string) string {
	if formOf(ver) == compact {
		return w.x.keys.graph(w.pid, ver)
	}
	return w.x.keys.hnsw(w.pid, ver)
}

// vectorIndex is the FT index that the vectors of a build are searched in.
func (r *record) vectorIndex() string {
	if base, parts := strings.CutSuffix(r.idx, wordsOnly); parts {
		return base + graphOnly
	}
	return r.idx
}

// useParts makes sure that the words of a build can be searched and that its graph is being built. It waits for the
// graph where another build serves meanwhile.
func (w *writer) useParts(ctx context.Context) error {
	serves := w.next || !w.fresh
	if serves {
		if err := w.useIndex(ctx, w.x.keys.graph(w.pid, w.rec.ver)); err != nil {
			return err
		}
	}
	if err := w.useIndex(ctx, w.x.keys.words(w.pid, w.rec.ver)); err != nil {
		return err
	}
	return w.x.createIndex(ctx, compact, w.rec.vectorIndex(), w.x.keys.chunks(w.pid, w.rec.ver), w.rec.Model.Dims, false)
}

// resumeGraph begins the graph of a build again if it is gone, or lacks chunks though the server reads none in. It does
// not wait for it.
func (w *writer) resumeGraph(ctx context.Context, chunks int) error {
	graph := w.rec.vectorIndex()
	if graph == w.rec.idx {
		return nil
	}
	in, err := indexInfo(ctx, w.x.writeClient, graph)
	switch rdb.Classify(err) {
	case rdb.OK:
		if in.busy || in.docs >= chunks-chunks/100 {
			return nil
		}
		if err := w.x.dropIndex(ctx, graph); err != nil {
			return err
		}
		w.x.opts.Log.Warn("graph of vectors rebuilt", "project", w.pid, "why", "the server has lost a part of it")
	case rdb.NoIndex:
	default:
		return fmt.Errorf("ask for the state of search index %q: %w", graph, err)
	}
	return w.x.createIndex(ctx, compact, graph, w.x.keys.chunks(w.pid, w.rec.ver), w.rec.Model.Dims, false)
}
