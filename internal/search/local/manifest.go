package local

import (
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

// mergedManifest is the manifest with all changes.
func (w *writer) mergedManifest() *table {
	paths := make([]code.Path, 0, len(w.changes))
	for p := range w.changes {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	n := len(w.old.entries) + len(paths)
	t := &table{entries: make([]search.Entry, 0, n), locs: make([]loc, 0, n)}
	i := 0
	for _, p := range paths {
		end := i
		for end < len(w.old.entries) && strings.Compare(w.old.entries[end].Path, p) < 0 {
			end++
		}
		t.entries = append(t.entries, w.old.entries[i:end]...)
		t.locs = append(t.locs, w.old.locs[i:end]...)
		if i = end; i < len(w.old.entries) && w.old.entries[i].Path == p {
			i++
		}
		if c := w.changes[p]; !c.delete {
			t.entries = append(t.entries, c.entry)
			t.locs = append(t.locs, c.loc)
		}
	}
	t.entries = append(t.entries, w.old.entries[i:]...)
	t.locs = append(t.locs, w.old.locs[i:]...)
	return t
}
