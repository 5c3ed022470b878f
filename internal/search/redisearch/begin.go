package redisearch

import (
	"context"
	"errors"
	"fmt"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

// Writer implements search.Index.
func (x *Index) Writer(ctx context.Context, spec search.Spec) (search.Writer, error) {
	if err := code.CheckIndexID(spec.Project); err != nil {
		return nil, err
	}
	mode, err := x.Mode(ctx)
	if err != nil {
		return nil, err
	}
	w := &writer{x: x, pid: spec.Project, manifest: map[code.Path]*stored{}, progress: spec.Progress, wait: spec.Wait}
	w.batch = batch{w: w}
	begin, key := w.begin, x.keys.lock(spec.Project)
	if spec.Next {
		begin, key = w.beginNext, x.keys.nextLock(spec.Project)
	}
	l, err := x.lock(ctx, key, spec.Project, spec.Wait)
	if err != nil {
		return nil, err
	}
	w.lock = l
	if err := w.x.loadScripts(ctx); err != nil {
		l.release()
		return nil, err
	}
	if err := begin(ctx, spec, mode); err != nil {
		l.release()
		return nil, fmt.Errorf("write project %q: %w", spec.Project, err)
	}
	return w, nil
}

// begin resumes from the stored version if it can be used, and starts an empty build otherwise.
func (w *writer) begin(ctx context.Context, spec search.Spec, mode search.Mode) error {
	rec, err := w.x.record(ctx, w.x.writeClient, w.pid)
	if errors.Is(err, search.ErrNoProject) {
		// A record that cannot be read is as good as none: nothing of it may mix with the new one.
		if err := w.x.unlinkLocked(ctx, w.lock, []string{w.x.keys.record(w.pid), w.x.keys.nextLock(w.pid)}); err != nil {
			return fmt.Errorf("drop a damaged record: %w", err)
		}
		rec = record{Project: search.Project{ID: w.pid, Root: spec.Root, Model: spec.Model}}
	} else if err != nil {
		return err
	}
	w.initialRecord = rec.Project
	if spec.DropNext && rec.next.ver != "" && rec.Next.Model != spec.Model {
		keys := []string{w.x.keys.record(w.pid), w.x.keys.nextLock(w.pid)}
		if _, err := w.x.runFenced(ctx, w.lock, dropNextScript, keys); err != nil {
			return fmt.Errorf("drop the next build: %w", err)
		}
		rec.next, rec.Next, w.initialRecord.Next = nextBuild{}, search.UnfinishedVersion{}, search.UnfinishedVersion{}
	}
	if err := w.x.dropOthers(ctx, w.lock, w.pid); err != nil {
		return err
	}
	if rec.ver != "" && !spec.Full && rec.Root == spec.Root && rec.Model == spec.Model && rec.mode == mode {
		w.rec = rec
		err := w.resume(ctx, spec.Paths)
		if !errors.Is(err, errDamaged) {
			return err
		}
		w.x.opts.Log.Warn("search index rebuilt", "project", w.pid, "why", err)
		w.initialRecord.Rebuilt = true
		clear(w.manifest)
		w.initialRows = 0
	}
	return w.beginBuild(ctx, rec, spec, mode)
}

// beginBuild starts an empty build beside the one of rec, if there is any.
func (w *writer) beginBuild(ctx context.Context, rec record, spec search.Spec, mode search.Mode) error {
	w.fresh, w.oldFiles = true, rec.Files
	if rec.ver != "" && rec.Root == spec.Root && !w.initialRecord.Rebuilt {
		if _, err := w.readServing(ctx, rec.ver); err != nil {
			return err
		}
	}
	w.rec = record{Project: search.Project{ID: w.pid, Root: spec.Root, Model: spec.Model}, mode: mode, ver: newVersion(w.x.form(ctx, mode), spec.Model, mode)}
	// That keys of the build may exist is noted before any is written.
	if err := w.x.writeClient.SAdd(ctx, w.x.keys.vers(w.pid), w.rec.ver).Err(); err != nil {
		return fmt.Errorf("note a new build: %w", err)
	}
	return nil
}
