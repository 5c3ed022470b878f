package local

import (
	"context"
	"errors"
	"fmt"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

// get is the row of a path with all changes so far.
func (w *writer) get(path code.Path) (search.Entry, loc, bool) {
	if c := w.changes[path]; c != nil {
		return c.entry, c.loc, !c.gone
	}
	if i, ok := w.old.find(path); ok {
		return w.old.entries[i], w.old.locs[i], true
	}
	return search.Entry{}, loc{}, false
}

func (w *writer) check(ctx context.Context) error {
	if w.closed {
		return errors.New("the writer is closed")
	}
	if w.writeErr != nil {
		return fmt.Errorf("an earlier change failed: %w", w.writeErr)
	}
	return ctx.Err()
}

// Put adds or replaces a file; see search.Writer.
func (w *writer) Put(ctx context.Context, doc search.Document) error {
	if err := w.check(ctx); err != nil {
		return fmt.Errorf("put %q: %w", doc.Entry.Path, err)
	}
	dims := w.head.project.Model.Dims
	if err := doc.Check(dims); err != nil {
		return fmt.Errorf("put %q: %w", doc.Entry.Path, err)
	}
	if w.build == nil {
		b, err := newBuilder(w.dir, dims, w.mark())
		if err != nil {
			return fmt.Errorf("put %q: %w", doc.Entry.Path, err)
		}
		w.head.nextSeg++
		w.build, w.buildAt = b, uint32(w.head.nextSeg)
	}
	ord, err := w.build.add(doc.File, doc.Vectors, doc.Entry.Size)
	if err != nil {
		w.writeErr = w.build.w.err
		return fmt.Errorf("put %q: %w", doc.Entry.Path, err)
	}
	e := doc.Entry
	e.Chunks, e.Lens = len(doc.File.Chunks), doc.File.Lens()
	if e.Language == "" {
		e.Language = doc.File.Language
	}
	w.changes[e.Path] = &row{entry: e, loc: loc{w.buildAt, ord}}
	w.changed = true
	if w.build.full(w.ix.maxSegmentSource) {
		if w.writeErr = w.finishSegment(); w.writeErr != nil {
			return fmt.Errorf("put %q: %w", e.Path, w.writeErr)
		}
	}
	return nil
}

// Touch sets the entry of an unchanged file or of one left out; see search.Writer.
func (w *writer) Touch(ctx context.Context, e search.Entry) error {
	if err := w.check(ctx); err != nil {
		return fmt.Errorf("touch %q: %w", e.Path, err)
	}
	old, at, ok := w.get(e.Path)
	if e.Skip != "" {
		w.changed = w.changed || ok && old.Skip == ""
		e.Chunks, e.Lens, e.Language = 0, [code.NumFields]int{}, ""
		w.changes[e.Path] = &row{entry: e}
		return nil
	}
	if !ok || old.Skip != "" || old.Hash != e.Hash {
		return fmt.Errorf("touch %q: its content is not in the index", e.Path)
	}
	e.Chunks, e.Lens, e.Language = old.Chunks, old.Lens, old.Language
	w.changes[e.Path] = &row{entry: e, loc: at}
	return nil
}

// Delete removes a file; see search.Writer.
func (w *writer) Delete(ctx context.Context, path code.Path) error {
	if err := w.check(ctx); err != nil {
		return fmt.Errorf("delete %q: %w", path, err)
	}
	old, _, ok := w.get(path)
	if !ok {
		return nil
	}
	w.changed = w.changed || old.Skip == ""
	w.changes[path] = &row{gone: true}
	return nil
}

// mark ends the names of new segments: in a next version with its build, so that others leave them alone.
func (w *writer) mark() string {
	if w.next {
		return "-" + w.head.build
	}
	return ""
}

// finishSegment finishes the segment being built. No entry of CURRENT names it yet.
func (w *writer) finishSegment() error {
	if w.build == nil {
		return nil
	}
	b := w.build
	w.build = nil
	ref, err := b.finish(uint64(w.buildAt), w.ix.beforeStep)
	if err != nil {
		return err
	}
	return w.addSegment(ref)
}

// addSegment adds a segment that was just written to w.segs, without checking its sums.
func (w *writer) addSegment(ref segRef) error {
	s, err := w.ix.cache.segment(w.dir, ref, func(string) bool { return true })
	if err != nil {
		return err
	}
	w.segs = append(w.segs, s)
	w.written += ref.size
	return nil
}
