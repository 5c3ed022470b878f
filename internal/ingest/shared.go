package ingest

import (
	"context"
	"fmt"
	"time"

	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/search"
)

// vectorCacheTimeout bounds a read or write of the vector cache. After it, the server is asked.
const vectorCacheTimeout = 2 * time.Second

// makeVectors returns the vectors of at most embedAtOnce texts. A server is asked only for those that the vector cache
// lacks.
func (r *run) makeVectors(ctx context.Context, texts []embed.Text) ([][]float32, error) {
	if r.opts.vectorCache == nil || !r.server || r.dims == 0 {
		return r.opts.Embedder.Documents(ctx, texts)
	}
	keys := make([]embed.Key, len(texts))
	for i, t := range texts {
		keys[i] = embed.KeyOf(r.opts.Embedder.Name(), r.dims, t)
	}
	out := r.cachedVectors(ctx, keys)
	var missing []embed.Text
	var at []int
	for i := range texts {
		if len(out[i]) != r.dims {
			missing, at = append(missing, texts[i]), append(at, i)
		}
	}
	if len(missing) == 0 {
		return out, nil
	}
	made, err := r.opts.Embedder.Documents(ctx, missing)
	if err != nil {
		return nil, err
	}
	if len(made) != len(missing) {
		return nil, fmt.Errorf("%d vectors for %d texts: %w", len(made), len(missing), embed.ErrUnavailable)
	}
	newKeys := make([]embed.Key, 0, len(made))
	kept := make([][]float32, 0, len(made))
	for i, v := range made {
		if out[at[i]] = v; len(v) == r.dims {
			newKeys, kept = append(newKeys, keys[at[i]]), append(kept, v)
		}
	}
	within, cancel := context.WithTimeout(ctx, vectorCacheTimeout)
	defer cancel()
	if err := r.opts.vectorCache.Put(within, newKeys, kept); err != nil {
		r.opts.Log.Debug("vectors not kept for other roots", "error", err)
	}
	return out, nil
}

// cachedVectors returns the vectors that the cache holds, nil for others.
func (r *run) cachedVectors(ctx context.Context, keys []embed.Key) [][]float32 {
	within, cancel := context.WithTimeout(ctx, vectorCacheTimeout)
	defer cancel()
	out, err := r.opts.vectorCache.Get(within, keys)
	if err != nil {
		r.opts.Log.Debug("vectors of other roots not read", "error", err)
	}
	if len(out) != len(keys) {
		return make([][]float32, len(keys))
	}
	return out
}

// dimsInStore returns the dimensions of an index in this store that was made with the target's embedder, so that the
// server need not be asked; 0 if there is none.
func (in *Ingester) dimsInStore(ctx context.Context, target search.Model) int {
	projects, _ := in.index.Projects(ctx) // where it cannot be read whole, what can be
	for i := range projects {
		for _, m := range []search.Model{projects[i].Model, projects[i].Next.Model} {
			if m.Embedder == target.Embedder && m.Analyzer == target.Analyzer && m.Dims > 0 {
				return m.Dims
			}
		}
	}
	return 0
}
