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
