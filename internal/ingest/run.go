package ingest

import (
	"context"
	"errors"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/safetext"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/spelling"
)

// run is one refresh at work. Only the goroutine of refresh touches writer, report and the counts.
type run struct {
	opts     Options
	dims     int  // length of a vector
	standIn  bool // what is put only stands in for what the index should hold
	root     *sandbox.Root
	index    search.Index
	project  string
	writer   search.Writer
	words    spelling.Set // of the files that were put
	report   *Report
	progress func(done, total int)
	done     int           // files dealt with
	total    int           // files to deal with
	taken    int           // files that were read and are not as they were
	alive    chan struct{} // one slot: a reader embedded something
	files    int           // indexed files so far
	bytes    int64         // their size
	until    time.Time     // when a slice ends; zero: never
	left     int           // files that a slice did not come to
	todo     int           // files to read that were not taken yet
	server   bool          // the embedder is one
	rates    *rates
}

// refresh brings the index up to date: all of it, or the paths if there are any.
func (r *run) refresh(ctx context.Context, paths []code.Path) error {
	entries := r.writer.Entries()
	var tree *sandbox.Tree
	var err error
	paths = withLost(entries, withParents(entries, paths))
	if tree, err = r.walk(ctx, paths); err != nil {
		return err
	}
	if paths != nil {
		p := r.writer.Project()
		entries = below(entries, paths)
		r.files, r.bytes = p.Files, p.Bytes
		for i := range entries {
			r.uncount(&entries[i])
		}
	}
	d := diff(entries, tree.Files, r.standIn)
	for _, e := range d.gone {
		if err := r.remove(ctx, e); err != nil {
			return err
		}
	}
	if err := r.apply(ctx, d.files); err != nil {
		return err
	}
	r.report.Unfinished = r.left > 0
	// After a run of paths the index equals the disk as far as anybody knows: what waited is covered.
	if r.report.Project, err = r.commit(ctx, r.left == 0); err == nil {
		r.keepWords(ctx, len(entries) == 0 && paths == nil)
		if paths == nil {
			r.keepSkipped(ctx)
		}
	}
	return err
}

// walk finds the files: all of them, or the paths if there are any.
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
	r.note(tree)
	return tree, nil
}

// commit makes what was applied the index that serves.
func (r *run) commit(ctx context.Context, whole bool) (p search.Project, err error) {
	ctx, end := obs.Stage(ctx, "commit")
	p, err = r.writer.Commit(ctx, whole)
	end(err, obs.Count("chunks", p.Chunks))
	return p, err
}

// note takes over what a walk left out.
func (r *run) note(tree *sandbox.Tree) {
	for _, s := range tree.Skipped {
		if r.report.Skipped[s.Reason]++; s.Reason == code.CapMemory && r.report.Skipped[s.Reason] == 1 {
			r.opts.Log.Warn("folder left out", obs.KeyProject, r.project, obs.KeyPath, cutText(s.Path, 200), obs.KeyReason, s.Reason, "detail", s.Detail)
		}
	}
	for _, w := range tree.Warnings {
		r.opts.Log.Warn("walk", obs.KeyProject, r.project, "detail", cutText(w, 500))
	}
}

// cutText is at most the first n bytes of s.
func cutText(s string, n int) string {
	if len(s) > n {
		return safetext.Cut(s, n) + "…"
	}
	return s
}

// slice goes on with a next version for a while, and at the end of its files makes it the one that serves.
func (r *run) slice(ctx context.Context, d time.Duration) error {
	tree, err := r.walk(ctx, nil)
	if err != nil {
		return err
	}
	todo := diff(r.writer.Entries(), tree.Files, false)
	r.until = time.Now().Add(d)
	for _, e := range todo.gone {
		if err = r.writer.Delete(ctx, e.Path); err != nil {
			return err
		}
	}
	if err = r.apply(ctx, todo.files); err == nil {
		r.report.Unfinished = r.left > 0
		if r.report.Project, err = r.commit(ctx, r.left == 0); err == nil {
			r.keepWords(ctx, false)
		}
		return err
	}
	if !errors.Is(err, search.ErrLost) { // what was made until then is not made again
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTime)
		defer cancel()
		if _, err := r.writer.Commit(within, false); err == nil {
			r.keepWords(within, false)
		}
	}
	return err
}

// keepTime is how long a run that ends early may take to keep what it has.
const keepTime = 3 * time.Second

// remove takes a file out of the index.
func (r *run) remove(ctx context.Context, e *search.Entry) error {
	if e == nil {
		return nil
	}
	if e.Skip == "" {
		r.report.Removed++
	}
	return r.writer.Delete(ctx, e.Path)
}

func (r *run) uncount(e *search.Entry) {
	if e.Skip == "" {
		r.files--
		r.bytes -= e.Size
	}
}

// apply brings the files into the index in path order, so that the caps cut the same files whatever happened before, while
// those that must be read are analyzed ahead on all cores.
func (r *run) apply(ctx context.Context, files []found) (err error) {
	ctx, end := obs.Stage(ctx, "apply")
	defer func() {
		end(err, obs.Count("files", len(files)), obs.Count("read", r.taken), obs.Count("left", r.left))
	}()
	ctx, stop := context.WithCancel(ctx)
	r.total = len(files)
	for i := range files {
		if !files[i].fresh {
			r.todo++
		}
	}
	ahead := r.readAhead(ctx, files, r.still)
	defer ahead.done.Wait()
	defer stop()
	for i := range files {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if !r.until.IsZero() && !files[i].fresh && r.taken > 0 && time.Now().After(r.until) && !ahead.last(i) {
			r.left = len(files) - i
			return nil
		}
		switch err := r.one(ctx, &files[i], ahead, i); {
		case errors.Is(err, errLate):
			r.left = len(files) - i
			return nil
		case err != nil:
			return err
		}
		if r.done = i + 1; i%64 == 63 || r.done == r.total {
			r.still()
		}
	}
	return nil
}

// tellRate logs now and then how fast a server makes vectors.
func (r *run) tellRate() {
	if r.server && r.todo > 0 {
		r.rates.tell(r.opts.Log, r.project, r.todo)
	}
}

// still tells how far the run is, which may be where it was: it is at work.
func (r *run) still() {
	r.tellRate()
	if r.progress != nil && r.total > 0 {
		r.progress(r.done, r.total)
	}
}

// one brings one file into the index, or out of it.
func (r *run) one(ctx context.Context, f *found, ahead *ahead, i int) error {
	if reason := r.capped(f); reason != "" {
		r.report.Skipped[reason]++
		if err := ahead.drop(ctx, i); err != nil {
			return err
		}
		return r.remove(ctx, f.old)
	}
	if f.fresh {
		r.count(f.old)
		return nil
	}
	res, err := r.take(ctx, ahead, i)
	if err != nil {
		return err
	}
	if r.todo--; r.server && len(res.doc.Vectors) > 0 {
		r.rates.add(r.project, len(res.doc.Vectors))
	}
	if !res.same { // files changed just now are read again each time
		r.taken++
	}
	if res.end != nil {
		return res.end
	}
	if res.fault != nil {
		r.report.Failed[f.Path] = res.fault.Error()
		r.opts.Log.Warn("file not indexed", "path", f.Path, "error", res.fault, "tries", triesOf(&res.doc.Entry))
	}
	if res.gone != "" {
		if res.gone != code.Missing {
			r.report.Skipped[res.gone]++
		}
		return r.remove(ctx, f.old)
	}
	e := &res.doc.Entry
	r.count(e)
	switch {
	case res.same:
		return r.writer.Touch(ctx, *e)
	case e.Skip != "":
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
	return r.writer.Put(ctx, res.doc)
}

// How long a slice waits at its end for files that are being embedded. What a server has under way is lost after that.
const (
	grace       = 3 * time.Second
	serverGrace = 30 * time.Second
)

// errLate is the end of a slice that has waited long enough.
var errLate = errors.New("the slice is over")

// take waits for what became of file i. In a slice that has got further it waits no longer than grace past its end.
func (r *run) take(ctx context.Context, ahead *ahead, i int) (result, error) {
	if r.until.IsZero() || r.taken == 0 {
		return ahead.take(ctx, i)
	}
	wait := grace
	if r.server {
		wait = serverGrace
	}
	ctx, cancel := context.WithDeadlineCause(ctx, r.until.Add(wait), errLate)
	defer cancel()
	return ahead.take(ctx, i)
}

// capped says which cap leaves no room for a file that may be indexed.
func (r *run) capped(f *found) code.Reason {
	if f.old != nil && f.fresh && f.old.Skip != "" {
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
		return
	}
	r.files++
	r.bytes += e.Size
}
