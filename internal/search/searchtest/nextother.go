package searchtest

import (
	"errors"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/search"
)

func nextOtherModel(t *testing.T, s *store) {
	docs := harbour()
	old := s.put(docs...)
	s.slice(nextSpec(), docs[:3]...)
	other := nextSpec()
	other.Model = search.Model{Embedder: "none", Analyzer: 3}
	w := s.writer(other)
	if n := len(w.Entries()); n != 0 {
		t.Errorf("%d entries of the model that is no longer wanted", n)
	}
	s.ok("close", w.Close())
	if n := s.next(); n != (search.UnfinishedVersion{Model: other.Model}) {
		t.Errorf("the next version is %+v", n)
	}
	w = s.writer(nextSpec())
	if n := len(w.Entries()); n != 0 {
		t.Errorf("%d entries of a version that was dropped", n)
	}
	s.ok("close", w.Close())
	old.Next = search.UnfinishedVersion{Model: nextSpec().Model}
	if r := s.record(); r != old {
		t.Errorf("the record is %+v, want %+v", r, old)
	}
}

func nextAlone(t *testing.T, s *store) {
	docs := harbour()
	old := s.put(docs...)
	s.slice(nextSpec(), docs[:3]...)
	sp := spec()
	sp.DropNext = true
	w := s.writer(sp)
	if p := w.Project(); p != old {
		t.Errorf("the Writer's record is %+v, want %+v", p, old)
	}
	s.ok("close", w.Close())
	if r := s.record(); r != old {
		t.Errorf("the record is %+v, want %+v", r, old)
	}
	s.wantEntries("the version that serves", s.entries(s.snapshot(project)), docs)
	s.ok("close", s.writer(sp).Close()) // there is none any more
	if w := s.writer(nextSpec()); len(w.Entries()) != 0 {
		t.Errorf("%d entries of a version that was dropped", len(w.Entries()))
	} else {
		s.ok("close", w.Close())
	}
}

func nextOfNothing(t *testing.T, s *store) {
	refused := func(sp search.Spec) {
		t.Helper()
		if w, err := s.Writer(s.ctx(), sp); !errors.Is(err, search.ErrNoProject) {
			t.Errorf("Writer gave %v, %v, want ErrNoProject", w, err)
		}
	}
	refused(nextSpec())
	if _, err := s.Open(s.ctx(), project); !errors.Is(err, search.ErrNoProject) {
		t.Errorf("Open gave %v, want ErrNoProject", err)
	}
	old := s.put(harbour()...)
	moved := nextSpec()
	moved.Root = "/srv/elsewhere"
	refused(moved)
	if r := s.record(); r != old {
		t.Errorf("the record is %+v, want %+v", r, old)
	}
	s.ok("the lock is free", s.writer(spec()).Close())
}

func nextNotes(t *testing.T, s *store) {
	docs := harbour()
	s.put(docs...)
	s.ok("fail", s.Fail(s.ctx(), project, "why"))
	later := time.Now().Add(time.Hour).Truncate(time.Millisecond).UTC()
	s.ok("confirm", s.Confirm(s.ctx(), project, later))
	if p := s.slice(nextSpec(), docs[:2]...); p.Failed != "why" || !p.IndexedAt.Equal(later) {
		t.Errorf("an unfinished next version has made the record %+v", p)
	}
	if r := s.record(); r.Failed != "why" || !r.IndexedAt.Equal(later) {
		t.Errorf("an unfinished next version has made the record %+v", r)
	}
	if p := s.change(nextSpec(), docs); p.Failed != "" || p.IndexedAt.Equal(later) || p.IndexedAt.IsZero() {
		t.Errorf("after the switch the record is %+v", p)
	}
	if r := s.record(); r.Failed != "" || r.IndexedAt.Equal(later) {
		t.Errorf("after the switch the record is %+v", r)
	}
}

func nextReplaced(t *testing.T, s *store) {
	docs := harbour()
	full, moved, again := spec(), spec(), spec()
	full.Full = true
	moved.Root, again.Root = "/srv/elsewhere", "/srv/elsewhere"
	again.Model.Analyzer = 9
	s.put(docs...)
	for what, sp := range map[string]search.Spec{"a full re-index": full, "another root": moved, "another model": again} {
		from := s.record()
		n := nextSpec()
		n.Root = from.Root
		s.slice(n, docs[:3]...)
		if p := s.change(sp, docs); p.Next.Exists() {
			t.Errorf("%s leaves the next version: %+v", what, p)
		}
		if n := s.next(); n.Exists() {
			t.Errorf("%s leaves the next version: %+v", what, n)
		}
		n.Root = sp.Root
		w := s.writer(n)
		if len(w.Entries()) != 0 {
			t.Errorf("%s leaves %d entries of the next version", what, len(w.Entries()))
		}
		s.ok("close", w.Close())
	}
	s.ok("remove", s.Remove(s.ctx(), project, lockWait))
	s.put(docs[0])
	if n := s.next(); n.Exists() {
		t.Errorf("a project that was removed and made again has a next version: %+v", n)
	}
}

func nextGeneration(t *testing.T, s *store) {
	docs := harbour()
	s.put(docs...)
	same := spec()
	same.Next = true
	if _, err := s.Writer(s.ctx(), same); !errors.Is(err, search.ErrNoProject) {
		t.Errorf("a next version of the model that serves gives %v, want ErrNoProject", err)
	}
	same.Full = true
	s.slice(same, docs[:4]...)
	if p := s.change(same, docs); p.Generation != 1 || p.Next.Exists() {
		t.Errorf("the same files built again give %+v", p)
	}
	if p := s.change(same, append(docs[:4:4], Doc("lamp/keeper.rs", "rust", "other"))); p.Generation != 2 {
		t.Errorf("other files built again give %+v", p)
	}
	if p := s.change(same, nil); p.Generation != 3 || p.Files != 0 {
		t.Errorf("no files built again give %+v", p)
	}
	if p := s.change(same, nil); p.Generation != 3 || p.Files != 0 {
		t.Errorf("no files built again over none give %+v", p)
	}
}
