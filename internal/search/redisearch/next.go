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
	w.initialRecord, w.serving, w.fresh = serving.Project, serving.ver, true
	if err := w.x.dropOthers(ctx, w.lock, w.pid); err != nil {
		return err
	}
	w.rec = record{Project: search.Project{ID: w.pid, Root: spec.Root, Model: spec.Model}, mode: mode, ver: serving.next.ver}
	if w.rec.ver != "" && serving.Next.Model == spec.Model && serving.next.mode == mode {
		err := w.load(ctx)
		if !errors.Is(err, errDamaged) {
			return err
		}
		w.x.opts.Log.Warn("unfinished next build begun again", "project", w.pid, "why", err)
	}
	w.rec.ver, w.rec.Files, w.rec.Chunks, w.rec.Bytes, w.rec.rows, w.rec.lens = newVersion(w.x.form(ctx, mode), spec.Model, mode), 0, 0, 0, 0, [code.NumFields]int64{}
	clear(w.manifest)
	w.initialEntries = nil
	if err := w.recordStarted(ctx); err != nil {
		return err
	}
	if err := w.recordNext(ctx); err != nil {
		return err
	}
	return w.x.dropOthers(ctx, w.lock, w.pid)
}

// recordStarted records that keys of the build may exist, before any is written.
func (w *writer) recordStarted(ctx context.Context) error {
	if err := w.x.writeClient.SAdd(ctx, w.x.keys.vers(w.pid), w.rec.ver).Err(); err != nil {
		return fmt.Errorf("note a new build: %w", err)
	}
	return nil
}

// recordNext stores the build in the record as the next one, with its counts.
func (w *writer) recordNext(ctx context.Context) error {
	m := w.rec.Model
	w.initialRecord.Next = search.UnfinishedVersion{Model: m, Files: w.rec.Files, Chunks: w.rec.Chunks}
	return w.setNext(ctx, "next", w.rec.ver, "nextmode", string(w.rec.mode), "nextembedder", m.Embedder, "nextdims", m.Dims,
		"nextanalyzer", m.Analyzer, "nextfiles", w.rec.Files, "nextchunks", w.rec.Chunks)
}

// setNext sets the fields of the next build in the record; without pairs it removes them.
func (w *writer) setNext(ctx context.Context, pairs ...any) error {
	n, err := nextScript.Run(ctx, w.x.writeClient, []string{w.lock.key, w.x.keys.record(w.pid)}, append([]any{w.lock.value}, pairs...)...).Int()
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
		if err := w.x.createIndex(ctx, formOf(w.rec.ver), w.graphOf(w.rec.ver), w.x.keys.chunks(w.pid, w.rec.ver), w.rec.Model.Dims); err != nil {
			return search.Project{}, err
		}
	}
	return w.initialRecord, w.recordNext(ctx)
}

// digestServing sets w.before from the manifest of the build that serves.
func (w *writer) digestServing(ctx context.Context, ver string) error {
	all, err := w.x.entries(ctx, w.x.writeClient, w.pid, ver)
	if err == nil {
		digest := search.Digest(sortedEntries(all))
		w.before = &digest
	} else if !errors.Is(err, errDamaged) {
		return err
	}
	return nil
}
