package ingest

import (
	"context"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/safetext"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/spelling"
)

// run is the state of one refresh. Only the goroutine of refresh uses writer, report and the counts.
type run struct {
	opts        Options
	dims        int  // length of a vector
	standIn     bool // what is put only stands in for what the index should hold
	root        *sandbox.Root
	index       search.Index
	project     string
	writer      search.Writer
	words       spelling.Set // of the files that were put
	old         replacedWords
	report      *Report
	progress    func(done, total int)
	done        int           // files dealt with
	total       int           // files to deal with
	readChanged int           // files that were read and are not as they were
	progressed  chan struct{} // one slot: a reader embedded something
	files       int           // indexed files so far
	bytes       int64         // their size
	until       time.Time     // when a slice ends; zero: never
	left        int           // files that a slice did not come to
	unread      int           // files to read that were not taken yet
	server      bool          // the embedder is one
	rate        embedRate
	saves       *saves // of a rebuild; else nil
}

// refresh makes the index that serves equal to the disk: all of it, or only paths if they are not nil.
func (r *run) refresh(ctx context.Context, paths []code.Path) (err error) {
	entries := r.writer.Entries()
	paths = withDamaged(entries, withParents(entries, paths))
	if err := r.bring(ctx, entries, paths); err != nil {
		return err
	}
	r.report.Unfinished = r.left > 0
	// After a run of paths the index equals the disk as far as anybody knows: what waited is covered.
	if r.report.Project, err = r.commit(ctx, r.left == 0); err == nil {
		r.saveWords(ctx, len(entries) == 0 && paths == nil)
		if paths == nil {
			r.saveSkipped(ctx)
		}
	}
	return err
}

// bring makes the version that is written, whose manifest is entries, equal to the disk: all of it, or only paths if
// they are not nil.
func (r *run) bring(ctx context.Context, entries []search.Entry, paths []code.Path) error {
	tree, err := r.walk(ctx, paths)
	if err != nil {
		return err
	}
	r.files, r.bytes = 0, 0
	if paths != nil {
		if r.saves != nil {
			for i := range entries {
				r.countSize(&entries[i], 1)
			}
		} else { // which may have given only the entries of paths
			p := r.writer.Project()
			r.files, r.bytes = p.Files, p.Bytes
		}
		entries = entriesUnder(entries, paths)
		for i := range entries {
			r.countSize(&entries[i], -1)
		}
	}
	d := diff(entries, tree.Files, r.standIn)
	if r.saves == nil {
		r.noteWords(ctx, d)
	}
	for _, e := range d.removed {
		if err := r.remove(ctx, e); err != nil {
			return err
		}
	}
	for i := range d.files {
		f := &d.files[i]
		f.unchanged = f.unchanged || r.triedAlready(f)
	}
	return r.apply(ctx, d.files)
}

// walk lists the files on disk: all of them, or only paths if they are not nil.
func (r *run) walk(ctx context.Context, paths []code.Path) (tree *sandbox.Tree, err error) {
	ctx, end := obs.Stage(ctx, "walk")
	if paths == nil {
		tree, err = r.root.Walk(ctx)
	} else {
		tree, err = r.root.WalkPaths(ctx, paths)
	}
	if err != nil {
		end(err)
		return nil, err
	}
	end(nil, obs.Count("files", len(tree.Files)), obs.Count("skipped", len(tree.Skipped)))
	r.noteSkipped(tree)
	return tree, nil
}

// commit commits the applied changes to the index that serves.
func (r *run) commit(ctx context.Context, whole bool) (p search.Project, err error) {
	ctx, end := obs.Stage(ctx, "commit")
	p, err = r.writer.Commit(ctx, whole)
	end(err, obs.Count("chunks", p.Chunks))
	return p, err
}

// noteSkipped records and logs what a walk left out.
func (r *run) noteSkipped(tree *sandbox.Tree) {
	for _, s := range tree.Skipped {
		if r.report.Skipped[s.Reason]++; s.Reason == code.CapMemory && r.report.Skipped[s.Reason] == 1 {
			r.opts.Log.Warn("folder left out", obs.KeyProject, r.project, obs.KeyPath, cutText(s.Path, 200), obs.KeyReason, s.Reason, "detail", s.Detail)
		}
	}
	for _, w := range tree.Warnings {
		r.opts.Log.Warn("walk", obs.KeyProject, r.project, "detail", cutText(w, 500))
	}
}

// cutText returns at most the first n bytes of s.
func cutText(s string, n int) string {
	if len(s) > n {
		return safetext.Cut(s, n) + "…"
	}
	return s
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

// logRate logs the embedding rate now and then.
func (r *run) logRate() {
	if r.server && r.unread > 0 {
		r.rate.logProgress(r.opts.Log, r.project, r.unread)
	}
}

// heartbeat reports the progress of the run, even if nothing was done since the last time: the run is alive.
func (r *run) heartbeat() {
	r.logRate()
	if r.progress != nil && r.total > 0 {
		r.progress(r.done, r.total)
	}
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
