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
	l, err := x.lock(ctx, spec.Project, spec.Wait)
	if err != nil {
		return nil, err
	}
	w := &writer{x: x, lock: l, pid: spec.Project, manifest: map[code.Path]*stored{}, progress: spec.Progress}
	w.batch = batch{w: w}
	begin := w.begin
	if spec.Next {
		begin = w.beginNext
	}
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
		if err := w.x.unlinkLocked(ctx, w.lock, []string{w.x.keys.record(w.pid)}); err != nil {
			return fmt.Errorf("drop a damaged record: %w", err)
		}
		rec = record{Project: search.Project{ID: w.pid, Root: spec.Root, Model: spec.Model}}
	} else if err != nil {
		return err
	}
	w.initialRecord = rec.Project
	if spec.DropNext && rec.next.ver != "" {
		if err := w.setNext(ctx); err != nil {
			return err
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
		w.initialEntries = nil
	}
	return w.beginBuild(ctx, rec, spec, mode)
}

// beginBuild starts an empty build beside the one of rec, if there is any.
func (w *writer) beginBuild(ctx context.Context, rec record, spec search.Spec, mode search.Mode) error {
	w.fresh, w.oldFiles = true, rec.Files
	if rec.ver != "" && rec.Root == spec.Root && !w.initialRecord.Rebuilt {
		if err := w.digestServing(ctx, rec.ver); err != nil {
			return err
		}
	}
	w.rec = record{Project: search.Project{ID: w.pid, Root: spec.Root, Model: spec.Model}, mode: mode, ver: newVersion(w.x.form(ctx, mode), spec.Model, mode)}
	return w.recordStarted(ctx)
}
