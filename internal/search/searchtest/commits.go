package searchtest

import (
	"testing"

	"github.com/contextd/contextd/internal/search"
)

func isolation(t *testing.T, s *store) {
	old := harbour()
	s.put(old...)
	snap := s.snapshot(project)
	before := snap.Project()
	changed := []search.Document{Doc("berth/assign.go", "go", "@rewritten berth"), Doc("new.go", "go", "berth berth")}
	s.change(spec(), changed, "docs/harbour.md")
	if got := snap.Project(); got != before {
		t.Errorf("the snapshot's record is %+v, was %+v", got, before)
	}
	// A store whose files switch one by one (Redis) shows a file's old or new version. One that pins shows the old,
	// always.
	shown, _, err := snap.Entry(s.ctx(), "berth/assign.go")
	s.ok("entry", err)
	live := shown.Hash == changed[0].Entry.Hash
	found := false
	for _, c := range s.ask(snap, search.Query{Words: words("berth"), Names: nil}).Files {
		found = found || c.Entry.Path == "berth/assign.go"
		if e, ok := find(entriesOf(changed), c.Entry.Path); live && ok && e.Hash == c.Entry.Hash {
			continue
		}
		e, ok := find(entriesOf(old), c.Entry.Path)
		if !ok || e.Hash != c.Entry.Hash {
			t.Errorf("the snapshot shows %q as of a later commit", c.Entry.Path)
		}
	}
	if !found {
		t.Error("a file that was rewritten since is missing")
	}
	s.ok("close the snapshot", snap.Close())
	s.ok("close the snapshot again", snap.Close())
	if got := s.record(); got.Generation != before.Generation+1 {
		t.Errorf("a new snapshot is of generation %d, want %d", got.Generation, before.Generation+1)
	}
}

func entriesOf(docs []search.Document) []search.Entry {
	var list []search.Entry
	for _, d := range docs {
		list = append(list, d.Entry)
	}
	return list
}

func uncommitted(t *testing.T, s *store) {
	old := s.put(harbour()...)
	docs := []search.Document{Doc("berth/queue.go", "go", "later"), Doc("later.go", "go", "later", "still later")}
	w := s.writer(spec())
	for _, d := range docs {
		s.ok("put", w.Put(s.ctx(), d))
	}
	s.ok("delete", w.Delete(s.ctx(), "docs/harbour.md"))
	s.ok("close", w.Close())
	s.ok("close again", w.Close())
	if err := w.Put(s.ctx(), docs[0]); err == nil {
		t.Error("a closed writer takes a file")
	}
	if r := s.record(); r.Generation != old.Generation || r.Epoch != old.Epoch {
		t.Errorf("the record is %+v, was %+v", r, old)
	}
	// The next walk finds the same again.
	p := s.change(spec(), docs, "docs/harbour.md")
	if p.Files != len(harbour()) || p.Generation != old.Generation+1 {
		t.Errorf("after the repetition the record is %+v", p)
	}
	if got := s.entries(s.snapshot(project)); len(got) != p.Files {
		t.Errorf("%d entries, want %d", len(got), p.Files)
	}
}

func manyCommits(t *testing.T, s *store) {
	for i := range 40 {
		p := s.put(Doc(numbered(i%25)+".go", "go", "round "+numbered(i), "second"))
		if p.Generation != int64(i+1) || p.Files != min(i+1, 25) || p.Chunks != 2*p.Files {
			t.Fatalf("after commit %d the record is %+v", i+1, p)
		}
	}
	if n := len(s.entries(s.snapshot(project))); n != 25 {
		t.Errorf("%d entries, want 25", n)
	}
}
