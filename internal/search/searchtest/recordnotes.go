package searchtest

import (
	"errors"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/search"
)

func indexedAt(t *testing.T, s *store) {
	w := s.writer(spec())
	s.ok("put", w.Put(s.ctx(), harbour()[0]))
	if p := s.commit(w, false); !p.IndexedAt.IsZero() {
		t.Errorf("an incomplete commit has set IndexedAt to %v", p.IndexedAt)
	}
	before := time.Now().Truncate(time.Millisecond)
	p := s.commit(w, true)
	if p.IndexedAt.Before(before) || p.IndexedAt.After(time.Now()) {
		t.Errorf("a complete commit without a change has set IndexedAt to %v, want now", p.IndexedAt)
	}
	s.ok("put", w.Put(s.ctx(), harbour()[1]))
	if q := s.commit(w, false); !q.IndexedAt.Equal(p.IndexedAt) {
		t.Errorf("an incomplete commit has moved IndexedAt from %v to %v", p.IndexedAt, q.IndexedAt)
	}
	s.ok("close", w.Close())

	later := p.IndexedAt.Add(time.Hour).Truncate(time.Millisecond)
	s.ok("confirm", s.Confirm(s.ctx(), project, later))
	if r := s.record(); !r.IndexedAt.Equal(later) || r.Generation != 2 {
		t.Errorf("after Confirm IndexedAt is %v at generation %d, want %v at 2", r.IndexedAt, r.Generation, later)
	}
	s.ok("confirm", s.Confirm(s.ctx(), project, later.Add(-time.Minute)))
	if r := s.record(); !r.IndexedAt.Equal(later) {
		t.Errorf("Confirm of an earlier time has moved IndexedAt to %v", r.IndexedAt)
	}
	s.ok("confirm", s.Confirm(s.ctx(), project, later.Add(-50*time.Minute)))
	if r := s.record(); !r.IndexedAt.Equal(later.Add(-50 * time.Minute)) {
		t.Errorf("the clock was set back by 50 minutes, and IndexedAt stays in the future, at %v", r.IndexedAt)
	}
	s.ok("confirm", s.Confirm(s.ctx(), project, later))
	w = s.writer(spec())
	if r := w.Project(); !r.IndexedAt.Equal(later) {
		t.Errorf("the Writer's record has IndexedAt %v, want %v", r.IndexedAt, later)
	}
	s.ok("put", w.Put(s.ctx(), harbour()[2]))
	if r := s.commit(w, false); !r.IndexedAt.Equal(later) {
		t.Errorf("an incomplete commit has moved IndexedAt to %v, want %v as confirmed", r.IndexedAt, later)
	}
	s.ok("close", w.Close())
}

func failures(t *testing.T, s *store) {
	s.put(harbour()...)
	for i, reason := range []string{"read \"a\n\\b\": permission denied", "the disk is full: ü"} {
		s.ok("fail", s.Fail(s.ctx(), project, reason))
		if r := s.record(); r.Failed != reason || r.Generation != int64(i+1) {
			t.Errorf("Failed is %q at generation %d, want %q at %d", r.Failed, r.Generation, reason, i+1)
		}
		list, err := s.Projects(s.ctx())
		s.ok("list projects", err)
		if len(list) != 1 || list[0].Failed != reason {
			t.Errorf("Projects gives %+v", list)
		}
		var p search.Project
		if i == 0 {
			p = s.put(Doc("new.go", "go", "new"))
		} else {
			p = s.put()
		}
		if r := s.record(); p.Failed != "" || r.Failed != "" {
			t.Errorf("after a commit Failed is %q", r.Failed)
		}
	}
}

func remove(t *testing.T, s *store) {
	s.put(harbour()...)
	other := spec()
	other.Project = "other"
	s.change(other, harbour()[:2])
	s.ok("remove", s.Remove(s.ctx(), project, lockWait))
	if _, err := s.Open(s.ctx(), project); !errors.Is(err, search.ErrNoProject) {
		t.Errorf("Open gave %v, want ErrNoProject", err)
	}
	list, err := s.Projects(s.ctx())
	s.ok("list projects", err)
	if len(list) != 1 || list[0].ID != "other" || list[0].Files != 2 {
		t.Errorf("projects %+v, want only the other", list)
	}
	if n := len(s.entries(s.snapshot("other"))); n != 2 {
		t.Errorf("the other project has %d entries, want 2", n)
	}
}

func epochs(t *testing.T, s *store) {
	old := s.put(harbour()...)
	s.ok("fail", s.Fail(s.ctx(), project, "a failure of the old one"))
	s.ok("remove", s.Remove(s.ctx(), project, lockWait))
	p := s.put(harbour()[3])
	if p.Epoch == old.Epoch || p.Epoch == "" || p.Generation != 1 || p.Files != 1 {
		t.Errorf("made again, the record is %+v after epoch %q", p, old.Epoch)
	}
	if r := s.record(); r.Failed != "" {
		t.Errorf("made again, the record has the old failure %q", r.Failed)
	}
}
