package local

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/search"
)

// Commit writes the segment at hand, merges what should be, and switches CURRENT; see search.Writer.
func (w *writer) Commit(ctx context.Context, complete bool) (search.Project, error) {
	if err := w.check(ctx); err != nil {
		return search.Project{}, fmt.Errorf("commit project %q: %w", w.project.ID, err)
	}
	p, err := w.commit(ctx, complete)
	if err != nil {
		w.writeErr = err
		return search.Project{}, fmt.Errorf("commit project %q: %w", w.project.ID, err)
	}
	return p, nil
}

func (w *writer) commit(ctx context.Context, complete bool) (search.Project, error) {
	switch {
	case w.next && complete:
		return w.switchToNext(ctx)
	case w.next:
		return w.commitNext(ctx)
	case len(w.changes) == 0 && !w.fresh && !w.changed:
		return w.confirm(complete)
	}
	h, t, err := w.assemble(ctx)
	if err != nil {
		return search.Project{}, err
	}
	h.seq++
	p := &h.project
	if w.before != nil {
		w.changed, w.before = search.Digest(t.entries) != *w.before, nil
	}
	if w.changed {
		p.Generation++
	}
	if complete {
		p.IndexedAt = time.Now().UTC()
	}
	if err := w.writeHead(currentName, h, t); err != nil {
		return search.Project{}, err
	}
	w.head, w.old = h, *t
	w.keepState()
	clear(w.changes)
	if w.fresh {
		w.changed, w.fresh = false, false
		if err := w.dropNext(); err != nil { // it was to replace what has just been replaced
			return search.Project{}, err
		}
	}
	w.changed = false
	w.sweep()
	now := *p
	if n := readNext(w.dir, h); n != nil {
		now.Next = unfinished(n)
	}
	return now, nil
}

// assemble finishes the segment at hand, merges what should be, and gives the manifest with a head that fits it.
func (w *writer) assemble(ctx context.Context) (*head, *table, error) {
	if err := w.finishSegment(); err != nil {
		return nil, nil, err
	}
	t := w.manifest()
	if err := w.compact(ctx, t); err != nil {
		return nil, nil, err
	}
	h := *w.head
	h.segs = nil
	for _, s := range w.segs {
		h.segs = append(h.segs, s.ref)
	}
	p := &h.project
	p.Files, p.Chunks, p.Bytes = 0, 0, 0
	for i := range t.entries {
		if e := &t.entries[i]; e.Skip == "" {
			p.Files++
			p.Chunks += e.Chunks
			p.Bytes += e.Size
		}
	}
	return &h, t, nil
}

// keepState makes what was just written to CURRENT the cached state, so that the next writer in this process need not
// read it. It is prepared when somebody searches it.
func (w *writer) keepState() {
	h, err := parseHead(w.head.raw)
	if err != nil {
		return
	}
	if w.written > w.ix.uncheckedLimit {
		w.ix.noteChecked(w.dir, w.segs)
		w.written = 0
	}
	st := &state{dir: w.dir, head: h, table: w.old, segs: slices.Clone(w.segs), index: indexOf(w.segs), refs: 1}
	for _, s := range st.segs {
		w.ix.cache.retainSegment(s)
	}
	w.ix.cache.setState(st)
	w.ix.cache.releaseState(st)
}

// writeHead replaces the content of CURRENT or NEXT. It gives t its base.
func (w *writer) writeHead(name string, h *head, t *table) error {
	if err := w.ix.beforeStep("write " + name); err != nil {
		return err
	}
	if err := w.fold(t); err != nil {
		return err
	}
	h.nextSeg = max(h.nextSeg, w.head.nextSeg)
	return replaceFile(w.dir, name, encodeCurrent(h, t), w.ix.beforeStep)
}

// confirm is a commit without a change: CURRENT stays, only its notes change.
func (w *writer) confirm(complete bool) (search.Project, error) {
	h, err := readHead(w.dir)
	if err != nil {
		return search.Project{}, err
	}
	if complete {
		now := time.Now().UTC()
		if err := writeConfirmed(w.dir, h, now, w.ix.beforeStep); err != nil {
			return search.Project{}, err
		}
		w.head.project.IndexedAt = now
	}
	if err := os.Remove(filepath.Join(w.dir, failedName)); err != nil && !os.IsNotExist(err) {
		return search.Project{}, err
	}
	return record(w.dir, h), nil
}

// sweep removes the files that neither CURRENT nor NEXT names: what is left of commits and of writers that died. What
// bears the build of NEXT is left to the writer of that. Readers that are about to open one of them read CURRENT again.
func (w *writer) sweep() {
	list, err := os.ReadDir(w.dir) // before NEXT is read, which is older than its segments
	if err != nil {
		return
	}
	names, build, err := namedFiles(w.dir)
	if err != nil || w.next && build != w.head.build { // it was dropped, and another may have begun
		return
	}
	for _, f := range list {
		name := f.Name()
		ofNext := strings.HasPrefix(name, nextName+"-") || build != "" && strings.Contains(name, build)
		mine := name == nextName || strings.HasPrefix(name, segmentPrefix) || strings.HasPrefix(name, manifestPrefix) || // made under a lock only
			strings.HasPrefix(name, currentName+"-") || ofNext
		if mine && (names[name] || ofNext != w.next) || !mine && !(strings.HasSuffix(name, tempSuffix) && isStaleTemp(f)) {
			continue
		}
		if w.ix.beforeStep("remove "+name) != nil {
			return
		}
		if err := os.Remove(filepath.Join(w.dir, name)); err != nil {
			w.ix.log.Debug("remove an old file of the index", "file", name, obs.KeyError, err)
		}
	}
}

// isStaleTemp reports whether a temporary file is old enough to be left over: notes are written without the lock.
func isStaleTemp(f os.DirEntry) bool {
	info, err := f.Info()
	return err == nil && time.Since(info.ModTime()) > time.Minute
}
