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
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/search"
)

// NEXT has the form of CURRENT and is the unfinished next version: its model, its segments, its manifest. No reader
// looks at it. It belongs to the CURRENT of the same project, epoch and root, until that has its build: then it has
// been switched to, and a process died before it took NEXT away.

// readNext reads the head of the next version beside h; nil if there is none.
func readNext(dir string, h *head) *head {
	n, err := readHeadOf(dir, nextName)
	if err != nil || n.build == "" || n.build == h.build {
		return nil
	}
	if a, b := &n.project, &h.project; a.ID != b.ID || a.Epoch != b.Epoch || a.Root != b.Root {
		return nil
	}
	return n
}

func unfinished(n *head) search.UnfinishedVersion {
	return search.UnfinishedVersion{Model: n.project.Model, Files: n.project.Files, Chunks: n.project.Chunks}
}

// openNext resumes the next version, or starts it, under the lock.
func (ix *Index) openNext(dir string, spec search.Spec) (*writer, error) {
	h, err := readHead(dir)
	if err == nil && h.project.ID != spec.Project {
		err = damagedf("CURRENT is of project %q", h.project.ID)
	}
	if err != nil {
		return nil, openError(spec.Project, err)
	}
	if h.project.Root != spec.Root {
		return nil, fmt.Errorf("project %q: its root is %q: %w", spec.Project, h.project.Root, search.ErrNoProject)
	}
	w := &writer{ix: ix, dir: dir, changes: map[code.Path]*change{}, serving: h, project: record(dir, h)}
	if n := readNext(dir, h); n != nil && n.project.Model == spec.Model {
		st, err := ix.read(dir, nextName)
		if err == nil {
			w.head = &head{project: st.head.project, seq: st.head.seq, nextSeg: st.head.nextSeg, build: st.head.build}
			w.old, w.initial, w.segs = st.table, st.entries, st.segs // the state's hold on its segments passes on
			return w, nil
		}
		if !errors.Is(err, errDamaged) && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read the next version of project %q: %w", spec.Project, err)
		}
		ix.log.Warn("unfinished next version is damaged: it is begun again", obs.KeyProject, spec.Project, obs.KeyError, err)
	}
	var r [8]byte
	_, _ = rand.Read(r[:]) // never fails (crypto/rand)
	w.head = &head{nextSeg: h.nextSeg, build: hex.EncodeToString(r[:]),
		project: search.Project{ID: spec.Project, Root: spec.Root, Epoch: h.project.Epoch, Model: spec.Model}}
	w.project.Next = search.UnfinishedVersion{Model: spec.Model}
	if err := w.writeHead(nextName, w.head, &table{}); err != nil {
		return nil, fmt.Errorf("begin the next version of project %q: %w", spec.Project, err)
	}
	return w, nil
}

// commitNext writes what was built so far to NEXT.
func (w *writer) commitNext(ctx context.Context) (search.Project, error) {
	if len(w.changes) == 0 {
		return w.project, nil
	}
	h, t, err := w.assemble(ctx)
	if err != nil {
		return search.Project{}, err
	}
	if err := w.writeHead(nextName, h, t); err != nil {
		return search.Project{}, err
	}
	w.head, w.old = h, *t
	clear(w.changes)
	w.project.Next = unfinished(h)
	w.sweep()
	return w.project, nil
}

// switchToNext replaces the version that serves by the next one. From then on w writes that version.
func (w *writer) switchToNext(ctx context.Context) (search.Project, error) {
	h, t, err := w.assemble(ctx)
	if err != nil {
		return search.Project{}, err
	}
	p, was := &h.project, record(w.dir, w.serving)
	p.Generation = was.Generation
	changed := was.Files > 0 || p.Files > 0
	if st, err := w.ix.load(w.dir, was.ID); err == nil {
		changed = search.Digest(st.entries) != search.Digest(t.entries)
		w.ix.cache.releaseState(st)
	}
	if changed {
		p.Generation++
	}
	p.IndexedAt = time.Now().UTC()
	h.seq = w.serving.seq + 1
	h.nextSeg = max(h.nextSeg, w.serving.nextSeg)
	if err := w.writeHead(currentName, h, t); err != nil {
		return search.Project{}, err
	}
	w.head, w.old, w.serving = h, *t, nil
	w.keepState()
	clear(w.changes)
	w.changed = false
	w.sweep()
	return h.project, nil
}

// dropNext removes the next version; the next sweep removes its segments.
func (w *writer) dropNext() error {
	w.project.Next = search.UnfinishedVersion{}
	path := filepath.Join(w.dir, nextName)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := w.ix.beforeStep("drop " + nextName); err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("drop the next version of project %q: %w", w.project.ID, err)
	}
	return nil
}

// namedFiles are the files of segments that CURRENT or NEXT names, and NEXT itself if there is a next version.
func namedFiles(dir string) (map[string]bool, error) {
	h, err := readHead(dir)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	segs := h.segs
	if n := readNext(dir, h); n != nil {
		segs = append(slices.Clone(segs), n.segs...)
		names[nextName] = true
	}
	for _, s := range segs {
		names[s.name] = true
	}
	return names, nil
}
