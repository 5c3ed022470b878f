package redisearch

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/code"
)

// lookBatch is the number of chunks that one pipeline checks: about a millisecond of the server.
const lookBatch = 1000

// markLost finds the files of which chunks are gone and marks them in the manifest as changed, so that this run writes
// them again. lost is how many chunks the search index lacks; if their hashes are there, the whole build is damaged.
func (w *writer) markLost(ctx context.Context, lost int) error {
	var owners []*stored
	var ids []chunkID
	files := map[code.Path]bool{}
	found := 0
	look := func() error {
		gone, err := w.missingChunks(ctx, ids)
		if err != nil {
			return err
		}
		missing := map[*stored]map[chunkID]bool{}
		for i, g := range gone {
			if g {
				s := owners[i]
				if missing[s] == nil {
					missing[s] = map[chunkID]bool{}
				}
				missing[s][ids[i]] = true
				found++
			}
		}
		for s, these := range missing {
			files[s.Path] = true
			s.dropChunks(these)
		}
		owners, ids = owners[:0], ids[:0]
		return nil
	}
	for _, s := range w.manifest {
		for _, id := range s.ids {
			owners, ids = append(owners, s), append(ids, id)
		}
		if len(ids) >= lookBatch {
			if err := look(); err != nil {
				return err
			}
		}
	}
	if err := look(); err != nil {
		return err
	}
	if found < lost {
		return fmt.Errorf("%w: the search index lacks %d chunks, %d of which are gone", errDamaged, lost, found)
	}
	w.x.opts.Log.Warn("chunks were lost: their files are written again", "project", w.pid, "chunks", found, "files", len(files))
	return nil
}

// dropChunks marks a file as changed and takes the missing chunks off its list, so that the next Put writes them.
func (s *stored) dropChunks(missing map[chunkID]bool) {
	s.Hash, s.SeenAt = code.Hash{}, 0
	var kept []chunkID
	for _, id := range s.ids {
		if !missing[id] {
			kept = append(kept, id)
		}
	}
	s.ids = kept
}

// missingChunks reports which chunks are no hashes. A key of another type is unlinked: it stands where a chunk has to
// go.
func (w *writer) missingChunks(ctx context.Context, ids []chunkID) ([]bool, error) {
	chunks := w.x.keys.chunks(w.pid, w.rec.ver)
	pipe := w.x.writeClient.Pipeline()
	types := make([]*redis.StatusCmd, len(ids))
	for i, id := range ids {
		types[i] = pipe.Type(ctx, chunks+id.String())
	}
	if len(ids) > 0 {
		if _, err := pipe.Exec(ctx); err != nil {
			return nil, fmt.Errorf("look for %d chunks: %w", len(ids), err)
		}
	}
	gone := make([]bool, len(ids))
	var other []string
	for i, t := range types {
		if gone[i] = t.Val() != "hash"; gone[i] && t.Val() != "none" {
			other = append(other, chunks+ids[i].String())
		}
	}
	return gone, w.x.unlinkLocked(ctx, w.lock, other)
}
