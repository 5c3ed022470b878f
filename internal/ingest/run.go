package ingest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/contextd/contextd/internal/analyze"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
)

// run is one refresh at work. Only the goroutine of refresh touches writer, report and the counts.
type run struct {
	opts     Options
	dims     int // length of a vector
	root     *sandbox.Root
	writer   search.Writer
	report   *Report
	progress func(done, total int)
	done     int           // files dealt with
	total    int           // files to deal with
	alive    chan struct{} // one slot: a reader embedded something
	files    int           // indexed files so far
	bytes    int64         // their size
}

// result is what became of one file that was read.
type result struct {
	doc   search.Document
	same  bool        // the content is what is indexed: only its stat is new
	gone  code.Reason // set when the file is no longer there, or no longer a file to index
	fault error       // why the file could not be analyzed
	end   error       // the run must end
}

func (r *run) refresh(ctx context.Context, paths []code.Path) error {
	entries := r.writer.Entries()
	var tree *sandbox.Tree
	var err error
	if paths == nil {
		tree, err = r.root.Walk(ctx)
	} else {
		tree, err = r.root.WalkPaths(ctx, paths)
	}
	if err != nil {
		return err
	}
	for _, s := range tree.Skipped {
		r.report.Skipped[s.Reason]++
	}
	if paths != nil {
		p := r.writer.Project()
		entries = below(entries, paths)
		r.files, r.bytes = p.Files, p.Bytes
		for i := range entries {
			r.uncount(&entries[i])
		}
	}
	d := diff(entries, tree.Files)
	for _, p := range d.gone {
		if err := r.remove(ctx, p, entries); err != nil {
			return err
		}
	}
	if err := r.apply(ctx, d.files); err != nil {
		return err
	}
	r.report.Project, err = r.writer.Commit(ctx, paths == nil)
	return err
}

func (r *run) remove(ctx context.Context, p code.Path, entries []search.Entry) error {
	for i := range entries {
		if entries[i].Path == p {
			if entries[i].Skip == "" {
				r.report.Removed++
			}
			break
		}
	}
	return r.writer.Delete(ctx, p)
}

func (r *run) uncount(e *search.Entry) {
	if e.Skip == "" {
		r.files--
		r.bytes -= e.Size
	}
}

// apply brings the files into the index in path order, so that the caps cut the same files whatever happened before, while
// those that must be read are analyzed ahead on all cores.
func (r *run) apply(ctx context.Context, files []found) error {
	ctx, stop := context.WithCancel(ctx)
	at := 0
	beat := func() {
		if r.progress != nil {
			r.progress(at, len(files))
		}
	}
	ahead := r.readAhead(ctx, files, beat)
	defer ahead.done.Wait()
	defer stop()
	for i := range files {
		at = i
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if err := r.one(ctx, &files[i], ahead, i); err != nil {
			return err
		}
		if r.done = i + 1; i%64 == 63 || r.done == r.total {
			r.still()
		}
	}
	return nil
}

// still tells how far the run is, which may be where it was: it is at work.
func (r *run) still() {
	if r.progress != nil && r.total > 0 {
		r.progress(r.done, r.total)
	}
}

func (r *run) one(ctx context.Context, f *found, ahead *ahead, i int) error {
	if reason := r.capped(f); reason != "" {
		r.report.Skipped[reason]++
		if err := ahead.drop(ctx, i); err != nil {
			return err
		}
		if f.old == nil {
			return nil
		}
		if f.old.Skip == "" {
			r.report.Removed++
		}
		return r.writer.Delete(ctx, f.Path)
	}
	if f.fresh {
		r.count(f.old)
		return nil
	}
	res, err := ahead.take(ctx, i)
	if err != nil {
		return err
	}
	if res.end != nil {
		return res.end
	}
	if res.fault != nil {
		r.report.Failed[f.Path] = res.fault.Error()
		r.opts.Log.Warn("file not indexed", "path", f.Path, "error", res.fault)
	}
	if res.gone != "" {
		if res.gone != code.Missing {
			r.report.Skipped[res.gone]++
		}
		if f.old == nil {
			return nil
		}
		if f.old.Skip == "" {
			r.report.Removed++
		}
		return r.writer.Delete(ctx, f.Path)
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
	return r.writer.Put(ctx, res.doc)
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

// read turns a file into a document. It runs on many goroutines.
func (r *run) read(ctx context.Context, f *found) (res result) {
	defer func() {
		if p := recover(); p != nil { // one file's oddity must not end the work on all others
			res = result{gone: code.Unreadable, fault: fmt.Errorf("analyze %q: panic: %v", f.Path, p)}
		}
	}()
	now := time.Now().UnixNano() // before reading: a change during it must look later
	data, stat, err := r.root.Read(f.Path)
	if err != nil {
		var re *sandbox.ReadError
		if errors.As(err, &re) && re.Reason == code.Unreadable {
			e := entry(f.File, now)
			e.Skip, e.Detail = code.Unreadable, re.Err.Error()
			return result{doc: search.Document{Entry: e}}
		}
		if errors.As(err, &re) {
			return result{gone: re.Reason}
		}
		return result{gone: code.Unreadable, fault: err}
	}
	e := entry(stat, now)
	e.Hash = code.HashOf(data)
	if f.old != nil && f.old.Hash == e.Hash && !f.rules {
		e.Skip, e.Detail, e.Language, e.Chunks, e.Lens = f.old.Skip, f.old.Detail, f.old.Language, f.old.Chunks, f.old.Lens
		return result{doc: search.Document{Entry: e}, same: true}
	}
	text, skip := f.Content(data)
	if skip.Reason != "" {
		e.Skip, e.Detail = skip.Reason, skip.Detail
		return result{doc: search.Document{Entry: e}}
	}
	if f.Lifted {
		e.Detail = lifted
	}
	doc := search.Document{Entry: e, File: analyze.File(f.Path, text)}
	doc.Entry.Language, doc.Entry.Chunks, doc.Entry.Lens = doc.File.Language, len(doc.File.Chunks), doc.File.Lens()
	if doc.Vectors, err = r.embed(ctx, embed.TextsOf(doc.File)); err != nil {
		err = fmt.Errorf("embed %q: %w", f.Path, err)
		if embed.Failed(err) || ctx.Err() != nil {
			return result{end: err}
		}
		return result{gone: code.Unreadable, fault: err}
	}
	return result{doc: doc}
}

// embedAtOnce is how many chunks are embedded between two signs of progress: a slow server takes a minute for them.
const embedAtOnce = 64

// embed makes the vectors of one file. None of another length than the index has leaves it.
func (r *run) embed(ctx context.Context, texts []embed.Text) (out [][]float32, err error) {
	for part := range slices.Chunk(texts, embedAtOnce) {
		vectors, err := r.opts.Embedder.Documents(ctx, part)
		if err != nil {
			return nil, err
		}
		if r.dims > 0 && len(vectors) != len(part) {
			return nil, fmt.Errorf("%d vectors for %d texts: %w", len(vectors), len(part), embed.ErrUnavailable)
		}
		for _, v := range vectors {
			if len(v) != r.dims {
				return nil, fmt.Errorf("vectors of %d numbers where the index has %d: %w", len(v), r.dims, embed.ErrDimensions)
			}
		}
		out = append(out, vectors...)
		select {
		case r.alive <- struct{}{}:
		default:
		}
	}
	return out, nil
}

func entry(f sandbox.File, now int64) search.Entry {
	return search.Entry{Path: f.Path, Size: f.Size, MTime: f.MTime, CTime: f.CTime, Inode: f.Inode, SeenAt: now}
}
