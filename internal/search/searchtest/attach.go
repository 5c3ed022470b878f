package searchtest

import (
	"bytes"
	"testing"
)

var attachTests = []test{
	{"what is attached to a project is read by all, until something else is", attached},
	{"what is attached goes with its project", attachedGoes},
}

func (s *store) attached(what, project, want string) []byte {
	s.t.Helper()
	got, err := s.Attached(s.ctx(), project)
	s.ok(what, err)
	if !bytes.Equal(got, []byte(want)) {
		s.t.Errorf("%s: attached is %.40q, want %.40q", what, got, want)
	}
	return got
}

func attached(t *testing.T, s *store) {
	s.attached("of no project", "nobody", "")
	s.ok("attach to no project", s.Attach(s.ctx(), "nobody", []byte("history")))
	s.attached("of no project", "nobody", "")
	s.put(harbour()...)
	s.attached("at first", project, "")
	s.ok("attach", s.Attach(s.ctx(), project, []byte("history")))
	a := s.attached("once attached", project, "history")
	if b := s.attached("again", project, "history"); &a[0] != &b[0] {
		t.Error("the same blob is another slice")
	}
	big := bytes.Repeat([]byte{0, 1, 255, '\r', '\n'}, 1<<18)
	s.ok("attach more", s.Attach(s.ctx(), project, big))
	s.attached("more", project, string(big))
	s.put(harbour()[0]) // a commit keeps it
	s.attached("after a commit", project, string(big))
	s.ok("attach nothing", s.Attach(s.ctx(), project, nil))
	s.attached("nothing", project, "")
}

func attachedGoes(t *testing.T, s *store) {
	s.put(harbour()...)
	s.ok("attach", s.Attach(s.ctx(), project, []byte("history")))
	s.attached("once attached", project, "history")
	s.ok("remove", s.Remove(s.ctx(), project, lockWait))
	s.attached("after the removal", project, "")
	s.put(harbour()...)
	s.attached("of the project made again", project, "")
}
