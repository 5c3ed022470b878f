package redisearch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/contextd/contextd/internal/search"
)

// Commit implements search.Writer.
func (w *writer) Commit(ctx context.Context, complete bool) (search.Project, error) {
	if err := w.checkUsable(ctx); err != nil {
		return search.Project{}, err
	}
	p, err := w.commit(ctx, complete)
	if err != nil {
		return search.Project{}, fmt.Errorf("commit project %q: %w", w.pid, err)
	}
	return p, nil
}

func (w *writer) commit(ctx context.Context, complete bool) (search.Project, error) {
	if w.serving != "" && !complete {
		return w.commitNext(ctx)
	}
	if err := w.batch.flush(); err != nil {
		return search.Project{}, err
	}
	before := w.rec.idx
	if err := w.prepareIndex(ctx); err != nil {
		return search.Project{}, err
	}
	if w.serving != "" {
		w.oldFiles = w.initialRecord.Files
		if err := w.digestServing(ctx, w.serving); err != nil {
			return search.Project{}, err
		}
	}
	count, at := "0", ""
	switch {
	case w.fresh && w.before != nil:
		if search.Digest(sortedEntries(w.manifest)) != *w.before {
			count = "1"
		}
	case w.puts, w.oldFiles > 0:
		count = "1"
	}
	if complete {
		at = fmt.Sprint(time.Now().UnixNano())
	}
	args := append([]any{w.lock.value, w.pid, w.rec.ver, count, at, randomHex(8)}, w.rec.fields()...)
	keys := []string{w.lock.key, w.x.keys.record(w.pid), w.x.keys.projects()}
	pairs, err := commitScript.Run(ctx, w.x.writeClient, keys, args...).StringSlice()
	if err != nil {
		return search.Project{}, err
	}
	if len(pairs) == 0 {
		w.failed = search.ErrLost
		return search.Project{}, w.failed
	}
	fields := make(map[string]string, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		fields[pairs[i]] = pairs[i+1]
	}
	rec, err := parseRecord(w.pid, fields)
	if err != nil {
		return search.Project{}, err
	}
	w.rec = rec
	if w.fresh {
		w.fresh, w.serving = false, ""
		err = errors.Join(w.x.dropOthers(ctx, w.lock, w.pid), w.dropSpare(ctx))
	} else if before != rec.idx {
		err = w.x.dropIndexLocked(ctx, w.lock, w.pid, before)
	}
	if err != nil { // the commit stands; the next writer drops what is left
		w.x.opts.Log.Warn("old build not dropped", "project", w.pid, "error", err)
	}
	return rec.Project, nil
}

// dropSpare drops the graph that was begun for a build which then became too small for one.
func (w *writer) dropSpare(ctx context.Context) error {
	if hnsw := w.x.keys.hnsw(w.pid, w.rec.ver); w.rec.mode == search.Full && w.rec.idx != hnsw {
		return w.x.dropIndexLocked(ctx, w.lock, w.pid, hnsw)
	}
	return nil
}

const (
	flatBelow = 30_000 // chunks of a new build up to which its vectors are searched exactly
	hnswAbove = 60_000 // chunks at which a FLAT index is replaced
)

// prepareIndex gives a build the FT index that fits its size.
func (w *writer) prepareIndex(ctx context.Context) error {
	if w.rec.mode != search.Full {
		return nil
	}
	flat, hnsw := w.x.keys.flat(w.pid, w.rec.ver), w.x.keys.hnsw(w.pid, w.rec.ver)
	want := w.rec.idx
	switch {
	case w.fresh && w.rec.Chunks < w.x.flatBelow:
		want = flat
	case w.fresh, want == flat && w.rec.Chunks > w.x.hnswAbove:
		want = hnsw
	}
	if want == w.rec.idx {
		return nil
	}
	if _, err := w.x.ensureIndex(ctx, formOf(w.rec.ver), want, w.x.keys.chunks(w.pid, w.rec.ver), w.rec.Model.Dims, w.rec.Chunks, w.progress); err != nil {
		return err
	}
	w.rec.idx = want
	return nil
}
