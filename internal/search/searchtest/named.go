package searchtest

import (
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

var namedTests = []test{
	{"a writer of named paths knows all that is there of them", namedEntries},
	{"a writer of named paths tells that there is nothing to build on", emptyNamed},
}

// namedEntries checks what a Writer of named paths knows of them, whatever else it knows.
func namedEntries(t *testing.T, s *store) {
	var docs []search.Document
	for _, p := range append(slices.Clone(oddNames), "quay/a.go", "quay/b/c.go", "quay.go", "quay-b/d.go") {
		docs = append(docs, Doc(p, "go", "w"+numbered(len(docs))))
	}
	for _, dir := range oddNames {
		if len(dir) < 100 {
			docs = append(docs, Doc(dir+"x/y.go", "go", "below "+"w"+numbered(len(docs))))
		}
	}
	s.put(docs...)
	all := s.entries(s.snapshot(project))
	check := func(want []search.Entry, paths ...code.Path) {
		t.Helper()
		sp := spec()
		sp.Paths = paths
		w := s.writer(sp)
		defer func() { s.ok("close", w.Close()) }()
		if w.FromNothing() {
			t.Errorf("%q: the index is taken for empty", paths)
		}
		got := w.Entries()
		if !slices.IsSortedFunc(got, func(a, b search.Entry) int { return strings.Compare(a.Path, b.Path) }) {
			t.Errorf("%q: out of order: %q", paths, entryPaths(got))
		}
		for _, e := range want {
			if have, ok := find(got, e.Path); !ok || have != e {
				t.Errorf("%q: the entry of %q is %v, %+v, want %+v", paths, e.Path, ok, have, e)
			}
		}
	}
	for i := range all {
		check(all[i:i+1], all[i].Path)
		if end := strings.LastIndexByte(all[i].Path, '/'); end > 0 {
			dir := all[i].Path[:end]
			check(all[i:i+1], dir)
			check(all[i:i+1], "new.go", dir)
		}
	}
	check(all, "")
	check(all, ".")
	check(nil, "new.go")
	everything := make([]code.Path, len(all))
	for i := range all {
		everything[i] = all[i].Path
	}
	check(all, append(everything, "gone/1", "gone/2", "gone/3", "gone/4", "gone/5")...)

	sp := spec() // what was not named can be changed too
	sp.Paths = []code.Path{"quay/a.go"}
	if p := s.change(sp, []search.Document{Doc("quay.go", "go", "other"), Doc("quay/a.go", "go", "other")}, "quay/b/c.go"); p.Files != len(docs)-1 {
		t.Errorf("%d files, want %d", p.Files, len(docs)-1)
	}
}

// emptyNamed checks that a Writer of named paths tells that there is nothing to build on.
func emptyNamed(t *testing.T, s *store) {
	sp := spec()
	sp.Paths = []code.Path{"a.go"}
	w := s.writer(sp)
	if !w.FromNothing() {
		t.Error("a project that is not there is taken for one")
	}
	s.commit(w, true)
	s.ok("close", w.Close())
	s.put(harbour()...)
	for _, change := range []func(*search.Spec){
		func(sp *search.Spec) { sp.Full = true },
		func(sp *search.Spec) { sp.Root = "/srv/elsewhere" },
		func(sp *search.Spec) { sp.Model.Analyzer++ },
	} {
		other := sp
		change(&other)
		w := s.writer(other)
		if !w.FromNothing() || len(w.Entries()) > 0 {
			t.Errorf("%+v goes on from %d entries", other, len(w.Entries()))
		}
		s.ok("close", w.Close())
	}
}
