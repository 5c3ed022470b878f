package searchtest

import (
	"errors"
	"testing"

	"github.com/contextd/contextd/internal/search"
)

var nextLockTests = []test{
	{"what serves is written while a writer holds the next version, and neither waits", nextApart},
	{"one writer a next version, and the other is told who", nextOneWriter},
	{"who asks a next writer for what serves keeps others from that until the switch", nextServing},
	{"a next writer whose version was dropped, replaced or removed writes nothing", nextEnded},
}

// now is spec without any patience.
func now(sp search.Spec) search.Spec {
	sp.Wait = 0
	return sp
}

func nextApart(t *testing.T, s *store) {
	docs := harbour()
	s.put(docs...)
	w := s.writer(nextSpec())
	s.ok("put", w.Put(s.ctx(), docs[0]))
	other := &store{t: t, Index: s.handle(), open: s.open} // another process
	for i, d := range docs[1:] {
		s.ok("put", w.Put(s.ctx(), d))
		if i == 1 {
			s.commit(w, false)
		}
		for k := range 4 { // enough commits for a merge
			p := other.change(now(spec()), []search.Document{Doc("meanwhile.go", "go", "@meanwhile "+numbered(4*i+k))})
			if want := int64(2 + 4*i + k); p.Generation != want {
				t.Fatalf("beside a next version generation %d, want %d", p.Generation, want)
			}
		}
		changed := Doc("meanwhile.go", "go", "@meanwhile "+numbered(4*i+3))
		other.wantEntries("beside a next version", other.entries(other.snapshot(project)), append(docs[:len(docs):len(docs)], changed))
	}
	gone, left := docs[0].Entry.Path, append(docs[1:len(docs):len(docs)], Doc("meanwhile.go", "go", "@meanwhile "+numbered(4*len(docs)-5)))
	last := other.change(now(spec()), nil, gone)
	serving, err := w.Serving(s.ctx())
	s.ok("ask for what serves", err)
	s.wantEntries("what serves", serving, left)
	s.wantEntries("the next version", w.Entries(), docs)
	s.ok("delete", w.Delete(s.ctx(), gone))
	s.ok("put", w.Put(s.ctx(), left[len(left)-1]))
	p := s.commit(w, true)
	s.ok("close", w.Close())
	if p.Generation != last.Generation || p.Model != nextSpec().Model || p.Next.Exists() || other.record() != p {
		t.Errorf("the switch gives %+v, read as %+v, was %+v", p, other.record(), last)
	}
	s.wantEntries("after the switch", s.entries(s.snapshot(project)), left)
}

func nextOneWriter(t *testing.T, s *store) {
	s.put(harbour()...)
	w := s.writer(nextSpec())
	for _, ix := range []search.Index{s.Index, s.handle()} {
		for _, m := range []search.Model{nextSpec().Model, model} {
			sp := now(nextSpec())
			sp.Model, sp.Full = m, true
			_, err := ix.Writer(s.ctx(), sp)
			isLocked(t, err)
		}
	}
	s.ok("close", w.Close())
	s.ok("close", s.writer(now(nextSpec())).Close())
}

func nextServing(t *testing.T, s *store) {
	docs := harbour()
	s.put(docs...)
	other := s.handle()
	before := s.writer(spec())
	w := s.writer(now(nextSpec()))
	_, err := w.Serving(s.ctx()) // it has no patience either
	isLocked(t, err)
	if _, err := w.Commit(s.ctx(), true); err == nil {
		t.Fatal("a switch while another writes what serves")
	}
	s.ok("close", w.Close())
	s.ok("close", before.Close())

	for _, complete := range []bool{false, true} {
		w = s.writer(nextSpec())
		for _, d := range docs {
			s.ok("put", w.Put(s.ctx(), d))
		}
		_, err = w.Serving(s.ctx())
		s.ok("ask for what serves", err)
		_, err = other.Writer(s.ctx(), now(spec()))
		isLocked(t, err)
		s.commit(w, complete)
		_, err = other.Writer(s.ctx(), now(spec()))
		isLocked(t, err) // after the switch it is what this one writes
		s.ok("close", w.Close())
		free, err := other.Writer(s.ctx(), now(spec()))
		s.ok("the lock is free", err)
		s.ok("close", free.Close())
	}
}

func nextEnded(t *testing.T, s *store) {
	docs := harbour()
	full, alone := spec(), spec()
	full.Full, alone.DropNext = true, true
	ends := map[string]func(){
		"removed":  func() { s.ok("remove", s.Remove(s.ctx(), project, 0)) },
		"replaced": func() { s.change(full, docs) },
		"dropped":  func() { s.ok("close", s.writer(alone).Close()) },
	}
	for what, end := range ends {
		for _, complete := range []bool{false, true} {
			s.put(docs...)
			from := s.record()
			w := s.writer(nextSpec())
			s.ok("put", w.Put(s.ctx(), docs[0]))
			if complete {
				s.commit(w, false)
			}
			end()
			err := w.Put(s.ctx(), docs[1])
			if _, commit := w.Commit(s.ctx(), complete); commit == nil || err == nil && !errors.Is(commit, search.ErrLost) {
				t.Errorf("%s: a commit of the next version gives %v after %v, want ErrLost", what, commit, err)
			}
			_ = w.Close()
			if what == "removed" {
				if _, err := s.Open(s.ctx(), project); !errors.Is(err, search.ErrNoProject) {
					t.Errorf("removed: Open gives %v", err)
				}
				continue
			}
			if p := s.record(); p.Model != from.Model || p.Generation != from.Generation || p.Next.Exists() {
				t.Errorf("%s: the record is %+v, was %+v", what, p, from)
			}
			s.wantEntries("what serves", s.entries(s.snapshot(project)), docs)
			s.ok("the lock is free", s.writer(now(nextSpec())).Close())
		}
	}
}
