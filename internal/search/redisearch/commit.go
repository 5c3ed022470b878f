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
	if w.next && !complete {
		return w.commitNext(ctx)
	}
	if err := w.batch.flush(); err != nil {
		return search.Project{}, err
	}
	before := w.rec.idx
	if err := w.prepareIndex(ctx); err != nil {
		return search.Project{}, err
	}
	lock, own := w.lock, ""
	if w.next {
		serving, err := w.lockServing(ctx)
		if err != nil {
			return search.Project{}, err
		}
		if w.before == nil { // else Serving has read it, and it has not changed since
			if _, err := w.readServing(ctx, serving.ver); err != nil {
				return search.Project{}, err
			}
		}
		lock, own, w.oldFiles = w.servingLock, w.lock.value, serving.Files
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
	args := append([]any{lock.value, w.pid, w.rec.ver, count, at, randomHex(8), own}, w.rec.fields()...)
	keys := []string{lock.key, w.x.keys.record(w.pid), w.x.keys.nextLock(w.pid), w.x.keys.projects()}
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
	if w.next { // the switch has taken its lock away
		w.lock.release()
		w.lock, w.servingLock, w.next = w.servingLock, nil, false
	}
	if w.fresh {
		w.fresh = false
		err = errors.Join(w.x.dropOthers(ctx, w.lock, w.pid), w.dropSpare(ctx))
	} else if before != rec.idx {
		err = w.x.dropIndexLocked(ctx, w.lock, w.pid, before)
	}
	if err != nil { // the commit stands; the next writer drops what is left
		w.x.opts.Log.Warn("old build not dropped", "project", w.pid, "error", err)
	}
	return rec.Project, nil
}

// dropSpare drops the indexes that were begun for a build which then got others, for its size.
func (w *writer) dropSpare(ctx context.Context) error {
	if w.rec.mode != search.Full {
		return nil
	}
	k, pid, ver := w.x.keys, w.pid, w.rec.ver
	for _, idx := range []string{k.flat(pid, ver), k.words(pid, ver), w.graphOf(ver)} {
		if idx == w.rec.idx || idx == w.rec.vectorIndex() {
			continue
		}
		if err := w.x.dropIndexLocked(ctx, w.lock, pid, idx); err != nil {
			return err
		}
	}
	return nil
}

const (
	flatBelow = 30_000 // chunks of a new build up to which its vectors are searched exactly
	hnswAbove = 60_000 // chunks at which a FLAT index is replaced
)

// prepareIndex gives a build the FT indexes that fit its size.
func (w *writer) prepareIndex(ctx context.Context) error {
	if w.rec.mode != search.Full {
		return nil
	}
	large, err := w.isLarge(ctx)
	switch {
	case err != nil:
		return err
	case !large && !w.fresh:
		return nil
	case !large:
		return w.useIndex(ctx, w.x.keys.flat(w.pid, w.rec.ver))
	case formOf(w.rec.ver) == wide:
		return w.useIndex(ctx, w.x.keys.hnsw(w.pid, w.rec.ver))
	}
	return w.useParts(ctx)
}

// useIndex makes sure that an FT index is complete, and names it in the record that the next commit writes. Where
// chunks are missing, the server has lost what it confirmed: a restart before it was on its disk.
func (w *writer) useIndex(ctx context.Context, idx string) error {
	docs, err := w.x.ensureIndex(ctx, formOf(w.rec.ver), idx, w.x.keys.chunks(w.pid, w.rec.ver), w.rec.Model.Dims, w.rec.Chunks, w.progress)
	if err != nil {
		return err
	}
	if w.rec.Chunks-docs > w.rec.Chunks/100 {
		w.failed = fmt.Errorf("%w: %d of %d chunks are in search index %q", errDamaged, docs, w.rec.Chunks, idx)
		return w.failed
	}
	w.rec.idx = idx
	return nil
}
