package searchtest

import (
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
