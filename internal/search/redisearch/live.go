package redisearch

import (
	"context"

	"github.com/contextd/contextd/internal/search"
)

// chunkBytes is about how many bytes of files make a chunk.
const chunkBytes = 1100

// Expect tells how many bytes of files are about to be put, so that an empty build gets its search index beforehand.
// Then the server indexes each chunk when it is written, at the writer's pace. To read in chunks that are there already
// it goes through all of its keys, and in hundreds of chunks lets nobody in between.
func (w *writer) Expect(bytes int64) {
	if w.fresh && len(w.manifest) == 0 && w.rec.mode == search.Full && formOf(w.rec.ver) == compact {
		w.expected = int(bytes/chunkBytes) + 1
	}
}

// beginIndex makes the search index of an empty build whose size is known: that of words alone if it will be large. Its
// graph comes behind it, or at once where another build serves meanwhile. Files that turn out to be none to index make
// expected up to twice what comes, so only one that is above hnswAbove counts as large.
func (w *writer) beginIndex(ctx context.Context) error {
	k, pid, ver, dims := w.x.keys, w.pid, w.rec.ver, w.rec.Model.Dims
	all := []string{k.flat(pid, ver)}
	if w.expected > w.x.hnswAbove && dims > 0 {
		if all = []string{k.words(pid, ver)}; w.next {
			all = append(all, k.graph(pid, ver))
		}
	}
	for _, idx := range all {
		if err := w.x.createIndex(ctx, compact, idx, k.chunks(pid, ver), dims, true); err != nil {
			return err
		}
	}
	w.expected = 0
	return nil
}

// isLarge reports whether a build is to have a graph of its vectors. One that has begun without may grow further before
// it is replaced.
func (w *writer) isLarge(ctx context.Context) (bool, error) {
	k, chunks := w.x.keys, w.rec.Chunks
	flat := k.flat(w.pid, w.rec.ver)
	switch {
	case w.rec.Model.Dims == 0:
		return false, nil
	case !w.fresh:
		return w.rec.idx == flat && chunks > w.x.hnswAbove, nil
	}
	if begun, err := w.x.hasIndex(ctx, flat); begun || err != nil {
		return chunks > w.x.hnswAbove, err
	}
	if begun, err := w.x.hasIndex(ctx, k.words(w.pid, w.rec.ver)); begun || err != nil {
		return true, err
	}
	return chunks >= w.x.flatBelow, nil
}
