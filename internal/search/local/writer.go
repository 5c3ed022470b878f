package local

import (
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
