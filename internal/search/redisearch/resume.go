package redisearch

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/search"
)

// errDamaged means that the stored state cannot be resumed.
var errDamaged = errors.New("the stored index is damaged")

// asDamaged adds errDamaged to err if it means that somebody has overwritten a key.
func asDamaged(err error) error {
	if rdb.Classify(err) == rdb.WrongType {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	return err
}

// resume loads the build that serves and makes sure that all of it is there, the FT index too, which any client of the
// server can lose for all others (FLUSHDB of whatever database drops it). Where paths are named and nothing seems to be
// lost, it loads their entries alone.
func (w *writer) resume(ctx context.Context, paths []code.Path) error {
	if ok, err := w.resumeNamed(ctx, paths); ok || err != nil {
		return err
	}
	if err := w.load(ctx); err != nil {
		return err
	}
	if len(w.manifest) == 0 && w.initialRecord.Files > 0 {
		return fmt.Errorf("%w: the entries of %d files are gone", errDamaged, w.initialRecord.Files)
	}
	if w.rec.mode != search.Full {
		return nil
	}
	chunks := 0
	for _, s := range w.manifest {
		chunks += len(s.ids)
	}
	docs, err := w.x.ensureIndex(ctx, formOf(w.rec.ver), w.rec.idx, w.x.keys.chunks(w.pid, w.rec.ver), w.rec.Model.Dims, chunks, w.progress)
	if err != nil {
		return err
	}
	if err := w.resumeGraph(ctx, chunks); err != nil {
		return err
	}
	switch lost := chunks - docs; {
	case lost > chunks/100:
		return fmt.Errorf("%w: %d of %d chunks are in the search index", errDamaged, docs, chunks)
	case lost > 0:
		return w.markLost(ctx, lost)
	}
	return nil
}

// load reads the manifest of a build and makes sure that its blobs are there.
func (w *writer) load(ctx context.Context) error {
	k, ver := w.x.keys, w.rec.ver
	all, err := w.x.entries(ctx, w.x.writeClient, w.pid, ver)
	if err != nil {
		return err
	}
	w.rec.Files, w.rec.Chunks, w.rec.Bytes, w.rec.lens = 0, 0, 0, [code.NumFields]int64{}
	w.initialRows, w.rec.rows = len(all), len(all)
	for _, s := range all {
		w.manifest[s.Path] = s
		w.rec.add(&s.Entry, 1)
	}
	pipe := w.x.writeClient.Pipeline()
	names := pipe.HLen(ctx, k.names(w.pid, ver))
	blobs, ahead := pipe.HLen(ctx, k.blobs(w.pid, ver)), pipe.SMembers(ctx, k.ahead(w.pid, ver))
	if _, err := pipe.Exec(ctx); err != nil {
		return fmt.Errorf("count the blobs: %w", asDamaged(err))
	}
	if int(blobs.Val()) != w.rec.Files || int(names.Val()) != w.rec.Files {
		return fmt.Errorf("%w: %d feature blobs and %d entries of the name index for %d files", errDamaged, blobs.Val(), names.Val(), w.rec.Files)
	}
	return w.unlinkUnlisted(ctx, ahead.Val())
}

// unlinkUnlisted unlinks chunks that a dead writer wrote and never listed in an entry.
func (w *writer) unlinkUnlisted(ctx context.Context, ahead []string) error {
	if len(ahead) == 0 {
		return nil
	}
	listed := map[string]bool{}
	for _, s := range w.manifest {
		for _, id := range s.ids {
			listed[id.String()] = true
		}
	}
	chunks := w.x.keys.chunks(w.pid, w.rec.ver)
	var gone []string
	for _, id := range ahead {
		if !listed[id] {
			gone = append(gone, chunks+id)
		}
	}
	return w.x.unlinkLocked(ctx, w.lock, append(gone, w.x.keys.ahead(w.pid, w.rec.ver)))
}

// scanCount is how many fields one step of a scan reads: a few milliseconds of the server.
const scanCount = 2000

// entries reads the manifest of a build.
func (x *Index) entries(ctx context.Context, c *redis.Client, pid, ver string) (map[code.Path]*stored, error) {
	all := map[code.Path]*stored{}
	err := x.scanEntries(ctx, c, pid, ver, "", scanCount, func(s *stored) { all[s.Path] = s })
	return all, err
}
