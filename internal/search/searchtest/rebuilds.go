package searchtest

import (
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/search"
)

func rootMoved(t *testing.T, s *store) {
	old := s.put(harbour()...)
	sp := spec()
	sp.Root = "/srv/elsewhere"
	w := s.writer(sp)
	if p := w.Project(); p.Root != root || p.Generation != old.Generation {
		t.Errorf("the Writer's record is %+v, want it as it was", p)
	}
	if n := len(w.Entries()); n != 0 {
		t.Errorf("%d entries of the old root", n)
	}
	s.ok("put", w.Put(s.ctx(), harbour()[0]))
	p := s.commit(w, true)
	s.ok("close", w.Close())
	if p.Root != sp.Root || p.Files != 1 || p.Generation != old.Generation+1 || p.Epoch != old.Epoch {
		t.Errorf("the record is %+v", p)
	}
	if list := s.entries(s.snapshot(project)); len(list) != 1 {
		t.Errorf("%d entries, want 1", len(list))
	}
}

func modelChanged(t *testing.T, s *store) {
	old := s.put(harbour()...)
	sp := spec()
	sp.Model = search.Model{Embedder: "none", Analyzer: 2}
	w := s.writer(sp)
	if n := len(w.Entries()); n != 0 {
		t.Errorf("%d entries of the old model", n)
	}
	d := Doc("only.go", "go", "berth")
	d.Vectors = nil
	s.ok("put", w.Put(s.ctx(), d))
	if r := s.record(); r != old {
		t.Errorf("before Commit the record is %+v, want %+v", r, old)
	}
	p := s.commit(w, true)
	s.ok("close", w.Close())
	if p.Model != sp.Model || p.Files != 1 || p.Generation != old.Generation+1 || p.Epoch != old.Epoch {
		t.Errorf("the record is %+v", p)
	}
	if r := s.record(); r != p {
		t.Errorf("Open gives %+v, Commit %+v", r, p)
	}
}

func fullBeside(t *testing.T, s *store) {
	old := s.put(harbour()...)
	sp := spec()
	sp.Full = true
	w := s.writer(sp)
	if n := len(w.Entries()); n != 0 {
		t.Errorf("a full re-index begins with %d entries", n)
	}
	s.ok("put", w.Put(s.ctx(), Doc("new/berth.go", "go", "berth berth")))
	s.ok("put", w.Put(s.ctx(), Doc("berth/queue.go", "go", "changed")))
	snap := s.snapshot(project)
	if r := snap.Project(); r != old {
		t.Errorf("before Commit the record is %+v, want %+v", r, old)
	}
	if got, want := entryPaths(s.entries(snap)), entryPaths(byPath(entriesOf(harbour()))); got != want {
		t.Errorf("before Commit the entries are %q, want %q", got, want)
	}
	for _, c := range s.ask(snap, search.Query{Words: words("berth")}).Files {
		if e, ok := find(entriesOf(harbour()), c.Entry.Path); !ok || e != c.Entry {
			t.Errorf("before Commit %q is nominated as it will be", c.Entry.Path)
		}
	}
	p := s.commit(w, true)
	s.ok("close", w.Close())
	if p.Files != 2 || p.Generation != old.Generation+1 {
		t.Errorf("after Commit the record is %+v", p)
	}
	if got := entryPaths(s.entries(s.snapshot(project))); got != "berth/queue.go\nnew/berth.go\n" {
		t.Errorf("after Commit the entries are %q", got)
	}
}

func byPath(list []search.Entry) []search.Entry {
	slices.SortFunc(list, func(a, b search.Entry) int { return strings.Compare(a.Path, b.Path) })
	return list
}

func fullAbandoned(t *testing.T, s *store) {
	old := s.put(harbour()...)
	sp := spec()
	sp.Full = true
	w := s.writer(sp)
	s.ok("put", w.Put(s.ctx(), Doc("berth/queue.go", "go", "half")))
	s.ok("close", w.Close())
	snap := s.snapshot(project)
	if r := snap.Project(); r != old {
		t.Errorf("the record is %+v, want %+v", r, old)
	}
	if got, want := s.entries(snap), byPath(entriesOf(harbour())); !slices.Equal(got, want) {
		t.Errorf("the entries are %+v, want %+v", got, want)
	}
}
