package ingest

import (
	"context"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/search"
)

// apply updates the index with files in path order, so that the caps always cut the same files. Files that must be read
// are read and analyzed ahead on all cores.
func (r *run) apply(ctx context.Context, files []diskFile) (err error) {
	ctx, end := obs.Stage(ctx, "apply")
	defer func() {
		end(err, obs.Count("files", len(files)), obs.Count("read", r.readChanged), obs.Count("left", r.left))
	}()
	ctx, stop := context.WithCancel(ctx)
	r.total, r.unread = len(files), 0
	bytes := int64(0)
	for i := range files {
		if !files[i].unchanged {
			r.unread++
			bytes += files[i].Size
		}
	}
	if w, ok := r.writer.(search.Expecter); ok {
		w.Expect(min(bytes, r.opts.MaxProjectBytes))
	}
	ahead := r.startReadAhead(ctx, files, r.heartbeat)
	defer ahead.done.Wait()
	defer stop()
	for i := range files {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if !r.until.IsZero() && !files[i].unchanged && r.readChanged > 0 && time.Now().After(r.until) && !ahead.stopAfter(i) {
			r.left = len(files) - i
			return nil
		}
		if err := r.applyFile(ctx, &files[i], ahead, i); err != nil {
			return err
		}
		if err := r.save(ctx); err != nil {
			return err
		}
		if r.done = i + 1; i%64 == 63 || r.done == r.total {
			r.heartbeat()
		}
	}
	return nil
}

// applyFile adds, updates or removes one file in the index.
func (r *run) applyFile(ctx context.Context, f *diskFile, ahead *readAhead, i int) error {
	if reason := r.capReason(f); reason != "" {
		r.report.Skipped[reason]++
		if err := ahead.skip(ctx, i); err != nil {
			return err
		}
		return r.remove(ctx, f.old)
	}
	if f.unchanged {
		r.count(f.old)
		return nil
	}
	res, err := ahead.take(ctx, i)
	if err != nil {
		return err
	}
	if r.unread--; r.server && len(res.doc.Vectors) > 0 {
		r.rate.add(len(res.doc.Vectors))
	}
	if !res.same { // files changed just now are read again each time
		r.readChanged++
	}
	if res.fatal != nil {
		return res.fatal
	}
	if res.fault != nil {
		r.report.Failed[f.Path] = res.fault.Error()
		r.opts.Log.Warn("file not indexed", "path", f.Path, "error", res.fault, "tries", failedTries(&res.doc.Entry))
	}
	if res.leftOut != "" {
		if res.leftOut != code.Missing {
			r.report.Skipped[res.leftOut]++
		}
		return r.remove(ctx, f.old)
	}
	e := &res.doc.Entry
	r.count(e)
	switch {
	case res.same:
		return r.writer.Touch(ctx, *e)
	case e.Skip != "":
		r.old.replace(f.Path)
		if f.old != nil && f.old.Skip == "" {
			r.report.Removed++
		}
		return r.writer.Touch(ctx, *e)
	case f.old == nil || f.old.Skip != "":
		r.report.Added++
	default:
		r.report.Changed++
	}
	r.addWords(res.doc.File)
	r.old.replace(f.Path)
	return r.writer.Put(ctx, res.doc)
}

// capReason returns the cap that keeps a file out of the index; "" for none.
func (r *run) capReason(f *diskFile) code.Reason {
	if f.old != nil && f.unchanged && f.old.Skip != "" {
		return ""
	}
	switch {
	case r.files >= r.opts.MaxFiles:
		return code.CapFiles
	case r.bytes+f.Size > r.opts.MaxProjectBytes:
		return code.CapBytes
	}
	return ""
}

func (r *run) count(e *search.Entry) {
	if e.Skip != "" {
		r.report.Skipped[e.Skip]++
	}
	r.countSize(e, 1)
}

// remove removes a file from the index.
func (r *run) remove(ctx context.Context, e *search.Entry) error {
	if e == nil {
		return nil
	}
	if e.Skip == "" {
		r.report.Removed++
		r.old.replace(e.Path)
	}
	return r.writer.Delete(ctx, e.Path)
}

// countSize counts an indexed file in (sign 1) or out (sign -1).
func (r *run) countSize(e *search.Entry, sign int) {
	if e.Skip == "" {
		r.files += sign
		r.bytes += int64(sign) * e.Size
	}
}

// heartbeat reports the progress of the run, even if nothing was done since the last time: the run is alive.
func (r *run) heartbeat() {
	r.logRate()
	if r.progress != nil && r.total > 0 {
		r.progress(r.done, r.total)
	}
}

// logRate logs the embedding rate now and then.
func (r *run) logRate() {
	if r.server && r.unread > 0 {
		r.rate.logProgress(r.opts.Log, r.project, r.unread)
	}
}
