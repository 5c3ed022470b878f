package redisearch

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

// nextBuild is the next build, as the record names it; zero if there is none.
type nextBuild struct {
	ver  string
	mode search.Mode
}

// parseNext reads the next build from the record. One that cannot be read counts as none and is started again.
func parseNext(f map[string]string) (nextBuild, search.UnfinishedVersion) {
	n := nextBuild{f["next"], search.Mode(f["nextmode"])}
	u := search.UnfinishedVersion{Model: search.Model{Embedder: f["nextembedder"]}}
	for field, to := range map[string]*int{"nextdims": &u.Model.Dims, "nextanalyzer": &u.Model.Analyzer, "nextfiles": &u.Files, "nextchunks": &u.Chunks} {
		v, err := strconv.Atoi(f[field])
		if err != nil || v < 0 || !goodVersion(n.ver) {
			return nextBuild{}, search.UnfinishedVersion{}
		}
		*to = v
	}
	return n, u
}

// beginNext resumes the next build, or starts it.
func (w *writer) beginNext(ctx context.Context, spec search.Spec, mode search.Mode) error {
	serving, err := w.x.record(ctx, w.x.writeClient, w.pid)
	if err != nil {
		return err
	}
	if serving.Root != spec.Root {
		return fmt.Errorf("its root is %q: %w", serving.Root, search.ErrNoProject)
	}
	if serving.Model == spec.Model && serving.Next.Model != spec.Model && !spec.Full {
		return fmt.Errorf("it is of this model already: %w", search.ErrNoProject)
	}
	w.initialRecord, w.next, w.fresh = serving.Project, true, true
	w.rec = record{Project: search.Project{ID: w.pid, Root: spec.Root, Model: spec.Model}, mode: mode, ver: serving.next.ver}
	if w.rec.ver != "" && serving.Next.Model == spec.Model && serving.next.mode == mode {
		err := w.load(ctx)
		if !errors.Is(err, errDamaged) {
			return err
		}
		w.x.opts.Log.Warn("unfinished next build begun again", "project", w.pid, "why", err)
	}
	old := w.rec.ver
	w.rec.ver, w.rec.Files, w.rec.Chunks, w.rec.Bytes = newVersion(w.x.form(ctx, mode), spec.Model, mode), 0, 0, 0
	w.initialRows, w.rec.rows, w.rec.lens = 0, 0, [code.NumFields]int64{}
	clear(w.manifest)
	if err := w.recordNext(ctx); err != nil || old == "" {
		return err
	}
	return w.x.dropUnnamed(ctx, w.lock, w.pid, old)
}

// recordNext stores the build in the record as the next one, with its counts.
func (w *writer) recordNext(ctx context.Context) error {
	m, k := w.rec.Model, w.x.keys
	w.initialRecord.Next = search.UnfinishedVersion{Model: m, Files: w.rec.Files, Chunks: w.rec.Chunks}
	n, err := nextScript.Run(ctx, w.x.writeClient, []string{w.lock.key, k.record(w.pid), k.vers(w.pid)}, w.lock.value, w.rec.ver,
		"nextmode", string(w.rec.mode), "nextembedder", m.Embedder, "nextdims", m.Dims, "nextanalyzer", m.Analyzer,
		"nextfiles", w.rec.Files, "nextchunks", w.rec.Chunks).Int()
	switch {
	case err != nil:
		return fmt.Errorf("note the next build: %w", err)
	case n == 0:
		w.failed = search.ErrLost
		return w.failed
	}
	return nil
}

// commitNext saves the state of the build, from which its next writer resumes.
func (w *writer) commitNext(ctx context.Context) (search.Project, error) {
	if err := w.batch.flush(); err != nil {
		return search.Project{}, err
	}
	if w.rec.mode == search.Full && w.rec.Chunks >= w.x.flatBelow {
		// The graph is made while the build goes on, or its last commit would wait a minute for it.
		large, err := w.isLarge(ctx)
		if err == nil && large {
			err = w.x.createIndex(ctx, formOf(w.rec.ver), w.graphOf(w.rec.ver), w.x.keys.chunks(w.pid, w.rec.ver), w.rec.Model.Dims, false)
		}
		if err != nil {
			return search.Project{}, err
		}
	}
	return w.initialRecord, w.recordNext(ctx)
}

// Serving implements search.Writer.
func (w *writer) Serving(ctx context.Context) ([]search.Entry, error) {
	if err := w.checkUsable(ctx); err != nil {
		return nil, err
	}
	rec, err := w.lockServing(ctx)
	if err != nil {
		return nil, err
	}
	return w.readServing(ctx, rec.ver)
}

// lockServing takes the lock of the build that serves, for the switch to the next one, and reads the record.
// search.ErrLost: it no longer names the next build.
func (w *writer) lockServing(ctx context.Context) (rec record, err error) {
	if w.servingLock == nil {
		if w.servingLock, err = w.x.lock(ctx, w.x.keys.lock(w.pid), w.pid, w.wait); err != nil {
			return record{}, err
		}
	}
	rec, err = w.x.record(ctx, w.x.writeClient, w.pid)
	if errors.Is(err, search.ErrNoProject) || err == nil && rec.next.ver != w.rec.ver {
		w.failed = search.ErrLost
		return record{}, w.failed
	}
	return rec, err
}

// readServing reads the manifest of the build that serves, and sets w.before from it. It is empty if it is damaged.
func (w *writer) readServing(ctx context.Context, ver string) ([]search.Entry, error) {
	all, err := w.x.entries(ctx, w.x.writeClient, w.pid, ver)
	if errors.Is(err, errDamaged) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	entries := sortedEntries(all)
	digest := search.Digest(entries)
	w.before = &digest
	return entries, nil
}
