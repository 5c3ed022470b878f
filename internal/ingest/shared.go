package ingest

import (
	"context"
	"fmt"
	"time"

	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/search"
)

// shareTime is how long what is kept of other roots' vectors may take to answer: without an answer the server is asked.
const shareTime = 2 * time.Second

// vectors are those of at most embedAtOnce texts. A server is asked only for those that no index of the store has asked for.
func (r *run) vectors(ctx context.Context, texts []embed.Text) ([][]float32, error) {
	if r.opts.vectors == nil || !r.server || r.dims == 0 {
		return r.opts.Embedder.Documents(ctx, texts)
	}
	keys := make([]embed.Key, len(texts))
	for i, t := range texts {
		keys[i] = embed.KeyOf(r.opts.Embedder.Name(), r.dims, t)
	}
	out := r.known(ctx, keys)
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
	within, cancel := context.WithTimeout(ctx, shareTime)
	defer cancel()
	if err := r.opts.vectors.Put(within, newKeys, kept); err != nil {
		r.opts.Log.Debug("vectors not kept for other roots", "error", err)
	}
	return out, nil
}

// known are the vectors that are kept, nil for others.
func (r *run) known(ctx context.Context, keys []embed.Key) [][]float32 {
	within, cancel := context.WithTimeout(ctx, shareTime)
	defer cancel()
	out, err := r.opts.vectors.Get(within, keys)
	if err != nil {
		r.opts.Log.Debug("vectors of other roots not read", "error", err)
	}
	if len(out) != len(keys) {
		return make([][]float32, len(keys))
	}
	return out
}

// dimsOfOthers is the length of the vectors that an index of this store was made with by the embedder of a target: so a server that has
// not told yet need not be asked. 0: none was.
func (in *Ingester) dimsOfOthers(ctx context.Context, target search.Model) int {
	projects, err := in.index.Projects(ctx)
	if err != nil {
		return 0
	}
	for i := range projects {
		for _, m := range []search.Model{projects[i].Model, projects[i].Next.Model} {
			if m.Embedder == target.Embedder && m.Analyzer == target.Analyzer && m.Dims > 0 {
				return m.Dims
			}
		}
	}
	return 0
}
