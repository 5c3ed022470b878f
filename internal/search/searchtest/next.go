package searchtest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

var nextTests = []test{
	{"a next version grows over many writers while the old one serves", nextGrows},
	{"a next version that was never committed is there and may be empty", nextUncommitted},
	{"the version that serves is written beside an unfinished next one", nextBeside},
	{"a next version may be changed again before the switch", nextChangedAgain},
	{"another model drops the unfinished next version", nextOtherModel},
	{"a writer that is alone drops the unfinished next version", nextAlone},
	{"there is no next version without one of the same root that serves", nextOfNothing},
	{"only the switch clears Failed and sets IndexedAt", nextNotes},
	{"what replaces an index takes its unfinished next version along", nextReplaced},
	{"a next version of the same model grows the generation by changes only", nextGeneration},
}

// nextSpec is for the next version of the project, with a model of its own and vectors of the same length.
func nextSpec() search.Spec {
	sp := spec()
	sp.Next = true
	sp.Model.Embedder, sp.Model.Analyzer = "static/test-2", 2
	return sp
}

// slice is one writer of a next version that is not finished.
func (s *store) slice(sp search.Spec, docs ...search.Document) search.Project {
	s.t.Helper()
	w := s.writer(sp)
	defer func() { s.ok("close the writer", w.Close()) }()
	for _, d := range docs {
		s.ok("put", w.Put(s.ctx(), d))
	}
	return s.commit(w, false)
}

// next is what the record says of the next version, the same to all who ask.
func (s *store) next() search.UnfinishedVersion {
	s.t.Helper()
	p := s.record()
	list, err := s.Projects(s.ctx())
	s.ok("list projects", err)
	if len(list) != 1 || list[0] != p {
		s.t.Errorf("Projects says %+v, Open %+v", list, p)
	}
	return p.Next
}

func (s *store) wantEntries(what string, got []search.Entry, docs []search.Document) {
	s.t.Helper()
	if want := byPath(entriesOf(docs)); !slices.Equal(got, want) {
		s.t.Errorf("%s: entries\n%+v\nwant\n%+v", what, got, want)
	}
}

func nextGrows(t *testing.T, s *store) {
	docs := harbour()
	old := s.put(docs...)
	chunks := 0
	for i, d := range docs {
		p := s.slice(nextSpec(), d)
		chunks += d.Entry.Chunks
		want := old
		want.Next = search.UnfinishedVersion{Model: nextSpec().Model, Files: i + 1, Chunks: chunks}
		if p != want {
			t.Errorf("slice %d gives %+v, want %+v", i, p, want)
		}
		if r := s.record(); r != want || s.next() != want.Next {
			t.Errorf("after slice %d the record is %+v, want %+v", i, r, want)
		}
		s.Index = s.handle() // another process
		s.wantEntries("the old version", s.entries(s.snapshot(project)), docs)
		w := s.writer(nextSpec())
		s.wantEntries("the next version", w.Entries(), docs[:i+1])
		if w.Project() != want {
			t.Errorf("the Writer's record is %+v, want %+v", w.Project(), want)
		}
		s.ok("close", w.Close())
	}
	before := time.Now().Truncate(time.Millisecond)
	p := s.change(nextSpec(), nil)
	if p.Model != nextSpec().Model || p.Generation != old.Generation || p.Epoch != old.Epoch || p.Files != old.Files || p.Chunks != old.Chunks ||
		p.Bytes != old.Bytes || p.Next.Exists() || p.IndexedAt.Before(before) {
		t.Errorf("after the switch the record is %+v, was %+v", p, old)
	}
	if r := s.record(); r != p {
		t.Errorf("after the switch Open gives %+v, Commit %+v", r, p)
	}
	s.wantEntries("after the switch", s.entries(s.snapshot(project)), docs)
	sp := spec()
	sp.Model = p.Model
	if q := s.change(sp, []search.Document{Doc("new.go", "go", "new")}); q.Generation != old.Generation+1 || q.Files != old.Files+1 {
		t.Errorf("after one more file the record is %+v", q)
	}
}

func nextUncommitted(t *testing.T, s *store) {
	docs := harbour()
	s.put(docs...)
	s.ok("close", s.writer(nextSpec()).Close())
	if n := s.next(); n != (search.UnfinishedVersion{Model: nextSpec().Model}) {
		t.Errorf("a next version that was only begun is %+v", n)
	}
	s.slice(nextSpec(), docs[:2]...)
	w := s.writer(nextSpec())
	s.ok("put", w.Put(s.ctx(), docs[2]))
	s.ok("delete", w.Delete(s.ctx(), docs[0].Entry.Path))
	s.ok("close", w.Close())
	w = s.writer(nextSpec())
	if n := len(w.Entries()); n < 1 || n > 3 {
		t.Errorf("%d entries, want those that were committed or those that were put", n)
	}
	for _, d := range docs { // the next walk finds the same again
		s.ok("put", w.Put(s.ctx(), d))
	}
	s.commit(w, true)
	s.ok("close", w.Close())
	s.wantEntries("after the switch", s.entries(s.snapshot(project)), docs)
}

func nextBeside(t *testing.T, s *store) {
	docs := harbour()
	s.put(docs...)
	s.slice(nextSpec(), docs[:3]...)
	unfinished := s.next()
	changed := Doc("berth/queue.go", "go", "@changed meanwhile")
	if p := s.put(changed); p.Generation != 2 || p.Next != unfinished {
		t.Errorf("a change beside a next version gives %+v", p)
	}
	if p := s.put(); p.Generation != 2 || p.Next != unfinished {
		t.Errorf("a commit of nothing beside a next version gives %+v", p)
	}
	for i := range 12 { // enough commits for a merge
		s.put(Doc("more.go", "go", numbered(i)))
	}
	last := s.change(spec(), nil, "more.go")
	now := append([]search.Document{changed}, append(docs[:1:1], docs[2:]...)...)
	s.wantEntries("the version that serves", s.entries(s.snapshot(project)), now)
	w := s.writer(nextSpec())
	s.wantEntries("the next version", w.Entries(), docs[:3])
	for _, d := range now {
		s.ok("put", w.Put(s.ctx(), d))
	}
	p := s.commit(w, true)
	s.ok("close", w.Close())
	if p.Generation != last.Generation || p.Next.Exists() || p.Model != nextSpec().Model {
		t.Errorf("after the switch the record is %+v, was %+v", p, last)
	}
	s.wantEntries("after the switch", s.entries(s.snapshot(project)), now)
}

func nextChangedAgain(t *testing.T, s *store) {
	docs := harbour()
	s.put(docs...)
	s.slice(nextSpec(), docs...)
	w := s.writer(nextSpec())
	s.ok("delete", w.Delete(s.ctx(), docs[0].Entry.Path))
	s.ok("touch", w.Touch(s.ctx(), skipped(docs[1].Entry.Path, code.Generated, "header")))
	e := docs[2].Entry
	e.MTime++
	s.ok("touch", w.Touch(s.ctx(), e))
	s.ok("put", w.Put(s.ctx(), Doc(docs[3].Entry.Path, "markdown", "rewritten")))
	p := s.commit(w, false)
	if p.Next.Files != 3 || p.Generation != 1 {
		t.Errorf("after the changes the record is %+v", p)
	}
	s.ok("close", w.Close())
	w = s.writer(nextSpec())
	want := byPath([]search.Entry{skipped(docs[1].Entry.Path, code.Generated, "header"), e, Doc(docs[3].Entry.Path, "markdown", "rewritten").Entry, docs[4].Entry})
	if got := w.Entries(); !slices.Equal(got, want) {
		t.Errorf("entries\n%+v\nwant\n%+v", got, want)
	}
	if p := s.commit(w, true); p.Files != 3 || p.Generation != 2 {
		t.Errorf("after the switch the record is %+v", p)
	}
	s.ok("put after the switch", w.Put(s.ctx(), docs[0]))
	if p := s.commit(w, true); p.Files != 4 || p.Generation != 3 {
		t.Errorf("one more commit of the same writer gives %+v", p)
	}
	s.ok("close", w.Close())
	if got := s.entries(s.snapshot(project)); len(got) != 5 {
		t.Errorf("entries %+v", got)
	}
}

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
