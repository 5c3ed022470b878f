package local

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/search"
)

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
