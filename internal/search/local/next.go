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
// been switched to, and a process died before it took NEXT away. It is written under next.lock, and CURRENT under
// write.lock; who holds that may take NEXT away, and the Writer of it finds so when it next commits.

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

// openNext resumes the next version, or starts it, under its lock.
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
	w := &writer{ix: ix, dir: dir, changes: map[code.Path]*row{}, next: true, project: record(dir, h)}
	switch n := readNext(dir, h); {
	case n != nil && n.project.Model == spec.Model:
		st, err := ix.read(dir, nextName)
		if err == nil {
			w.head = &head{project: st.head.project, seq: st.head.seq, nextSeg: st.head.nextSeg, build: st.head.build}
			w.old, w.rows, w.segs = st.table, len(st.entries), st.segs // the state's hold on its segments passes on
			return w, nil
		}
		if !errors.Is(err, errDamaged) && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read the next version of project %q: %w", spec.Project, err)
		}
		ix.log.Warn("unfinished next version is damaged: it is begun again", obs.KeyProject, spec.Project, obs.KeyError, err)
	case h.project.Model == spec.Model && !spec.Full:
		return nil, fmt.Errorf("project %q is of this model already: %w", spec.Project, search.ErrNoProject)
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
	if err := w.stillNext(); err != nil || len(w.changes) == 0 {
		return w.project, err
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

// stillNext returns search.ErrLost if NEXT is no longer of this Writer's build: it was dropped, or the project was.
func (w *writer) stillNext() error {
	h, err := readHead(w.dir)
	if err != nil {
		return fmt.Errorf("%w: %w", search.ErrLost, err)
	}
	if n := readNext(w.dir, h); n == nil || n.build != w.head.build || n.project.Epoch != w.head.project.Epoch {
		return search.ErrLost
	}
	return nil
}

// Serving takes the lock of the version that serves; see search.Writer.
func (w *writer) Serving(ctx context.Context) ([]search.Entry, error) {
	if err := w.lockServing(ctx); err != nil {
		return nil, err
	}
	if err := w.stillNext(); err != nil {
		return nil, err
	}
	st, err := w.ix.load(w.dir, w.project.ID)
	if errors.Is(err, errDamaged) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the index of project %q: %w", w.project.ID, err)
	}
	defer w.ix.cache.releaseState(st)
	return slices.Clone(st.entries), nil
}

// lockServing takes the lock of the version that serves, for the switch.
func (w *writer) lockServing(ctx context.Context) (err error) {
	if w.next && w.servingLock == nil {
		w.servingLock, err = lock(ctx, w.dir, lockName, w.project.ID, w.wait)
	}
	return err
}

// switchToNext replaces the version that serves by the next one. From then on w writes that version.
func (w *writer) switchToNext(ctx context.Context) (search.Project, error) {
	if err := w.lockServing(ctx); err != nil {
		return search.Project{}, err
	}
	if err := w.stillNext(); err != nil {
		return search.Project{}, err
	}
	serving, err := readHead(w.dir)
	if err != nil {
		return search.Project{}, err
	}
	h, t, err := w.assemble(ctx)
	if err != nil {
		return search.Project{}, err
	}
	p, was := &h.project, record(w.dir, serving)
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
	h.seq = serving.seq + 1
	h.nextSeg = max(h.nextSeg, serving.nextSeg)
	if err := w.writeHead(currentName, h, t); err != nil {
		return search.Project{}, err
	}
	w.head, w.old, w.next = h, *t, false
	w.keepState()
	clear(w.changes)
	w.changed = false
	nextLock := w.lock
	w.lock, w.servingLock = w.servingLock, nil
	err = nextLock.Unlock()
	w.sweep()
	return h.project, err
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

// namedFiles are the files of segments and manifests that CURRENT or NEXT names, and NEXT itself if there is a next version, whose
// build that is.
func namedFiles(dir string) (names map[string]bool, build string, err error) {
	h, err := readHead(dir)
	if err != nil {
		return nil, "", err
	}
	names = map[string]bool{h.base.name: true}
	segs := h.segs
	if n := readNext(dir, h); n != nil {
		segs = append(slices.Clone(segs), n.segs...)
		names[nextName], names[n.base.name], build = true, true, n.build
	}
	for _, s := range segs {
		names[s.name] = true
	}
	return names, build, nil
}
