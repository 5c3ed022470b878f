package local

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/search"
)

// writer changes one version of a project under its lock. Until Commit all it does is new files in the project's folder.
type writer struct {
	ix      *Index
	dir     string
	lock    *flock.Flock       // of the version that is written
	project search.Project     // as it was when the lock was taken
	head    *head              // what is committed, with what Spec has changed
	old     table              // what is committed, or nothing when starting from nothing
	rows    int                // of the manifest when the lock was taken
	segs    []*segment         // that old and changes point to; held
	changes map[code.Path]*row // what becomes of paths
	build   *builder           // nil: no document since the last segment
	buildAt uint32             // number that the segment being built will have
	fresh   bool               // nothing is committed by this writer, and it does not add to what is there
	changed bool               // a file was put or deleted
	written int64              // bytes of segments since CHECKED was written
	before  *code.Hash         // when starting from nothing over an index of the same root: the Digest of that
	next    bool               // it is the next version that is written
	// servingLock is that of the version that serves, once the next one is about to replace it.
	servingLock *flock.Flock
	wait        time.Duration // for that
	writeErr    error         // writing failed: the places in w fit no segment any more
	closed      bool
}

// newWriter reads the committed state, under the lock.
func (ix *Index) newWriter(dir string, spec search.Spec) (*writer, error) {
	w := &writer{ix: ix, dir: dir, changes: map[code.Path]*row{}}
	st, err := ix.load(dir, spec.Project)
	switch {
	case err == nil:
		defer ix.cache.releaseState(st)
		w.head = &head{project: st.head.project, seq: st.head.seq, nextSeg: st.head.nextSeg, build: st.head.build}
		w.project = record(dir, st.head)
		w.head.project.IndexedAt = w.project.IndexedAt
		w.head.project.Rebuilt, w.project.Rebuilt = false, false
		moved, renewed := spec.Root != w.project.Root, spec.Model != w.project.Model
		if moved || renewed || spec.Full {
			w.fresh = true
			w.changed = w.project.Files > 0
			if moved {
				w.head.project.IndexedAt = fromUnixNano(0)
			} else {
				d := search.Digest(st.entries)
				w.before = &d
			}
			break
		}
		w.old, w.rows = st.table, len(st.entries)
		for _, s := range st.segs {
			ix.cache.retainSegment(s)
			w.segs = append(w.segs, s)
		}
	case errors.Is(err, errDamaged):
		ix.log.Warn("index is damaged: it is rebuilt", obs.KeyProject, spec.Project, obs.KeyError, err)
		w.newHead(spec)
		w.head.project.Rebuilt, w.project.Rebuilt = true, true
	case errors.Is(err, fs.ErrNotExist):
		w.newHead(spec)
	default:
		return nil, fmt.Errorf("read the index of project %q: %w", spec.Project, err)
	}
	w.head.project.Root, w.head.project.Model = spec.Root, spec.Model
	if n := readNext(dir, w.head); spec.DropNext && n != nil && n.project.Model != spec.Model {
		if err := w.dropNext(); err != nil {
			w.release()
			return nil, err
		}
	}
	return w, nil
}

// newHead is the record of a project that is not there yet: in a new epoch, so that nothing of a lost one can be taken
// for its own.
func (w *writer) newHead(spec search.Spec) {
	var r [8]byte
	_, _ = rand.Read(r[:]) // never fails (crypto/rand)
	w.head = &head{project: search.Project{ID: spec.Project, Epoch: hex.EncodeToString(r[:])}}
	w.project = w.head.project
	w.project.Root, w.project.Model = spec.Root, spec.Model
	w.fresh = true
}

func (w *writer) Project() search.Project { return w.project }

func (w *writer) Entries() []search.Entry {
	if len(w.changes) == 0 {
		return slices.Clip(w.old.entries)
	}
	return w.manifest().entries
}

// manifest is what is committed with all changes.
func (w *writer) manifest() *table {
	rows := make([]row, 0, len(w.changes))
	for p, c := range w.changes {
		if c.gone {
			c.entry.Path = p
		}
		rows = append(rows, *c)
	}
	slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a.entry.Path, b.entry.Path) })
	t := w.old.with(rows)
	if t == &w.old { // what becomes of it must not touch what is committed
		t = &table{slices.Clone(t.entries), slices.Clone(t.locs), t.base, slices.Clone(t.over)}
	}
	return t
}

func (w *writer) FromNothing() bool { return w.rows == 0 }

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

// Close gives the lock back and drops what was not committed.
func (w *writer) Close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	if w.build != nil {
		w.build.w.drop()
	}
	if _, err := os.Stat(filepath.Join(w.dir, currentName)); errors.Is(err, fs.ErrNotExist) && !w.next {
		_ = removeFolder(w.dir) // nothing was ever committed
	} else {
		w.sweep()
	}
	w.release()
	err := w.lock.Unlock()
	if w.servingLock != nil {
		err = errors.Join(err, w.servingLock.Unlock())
	}
	if err != nil {
		return fmt.Errorf("unlock project %q: %w", w.project.ID, err)
	}
	return nil
}

func (w *writer) release() {
	w.ix.cache.release(w.dir, w.segs...)
	w.segs = nil
}
