package searchtest

import (
	"bytes"
	"testing"
)

var attachTests = []test{
	{"what is attached to a project is read by all, until something else is", attached},
	{"what is attached goes with its project", attachedGoes},
	{"what is attached of one kind leaves that of another alone", attachedKinds},
}

func (s *store) attached(what, project, want string) []byte {
	s.t.Helper()
	got, err := s.Attached(s.ctx(), project, "history")
	s.ok(what, err)
	if !bytes.Equal(got, []byte(want)) {
		s.t.Errorf("%s: attached is %.40q, want %.40q", what, got, want)
	}
	return got
}

func attached(t *testing.T, s *store) {
	s.attached("of no project", "nobody", "")
	s.ok("attach to no project", s.Attach(s.ctx(), "nobody", "history", []byte("history")))
	s.attached("of no project", "nobody", "")
	s.put(harbour()...)
	s.attached("at first", project, "")
	s.ok("attach", s.Attach(s.ctx(), project, "history", []byte("history")))
	a := s.attached("once attached", project, "history")
	if b := s.attached("again", project, "history"); &a[0] != &b[0] {
		t.Error("the same blob is another slice")
	}
	big := bytes.Repeat([]byte{0, 1, 255, '\r', '\n'}, 1<<18)
	s.ok("attach more", s.Attach(s.ctx(), project, "history", big))
	s.attached("more", project, string(big))
	s.put(harbour()[0]) // a commit keeps it
	s.attached("after a commit", project, string(big))
	s.ok("attach nothing", s.Attach(s.ctx(), project, "history", nil))
	s.attached("nothing", project, "")
}

func attachedGoes(t *testing.T, s *store) {
	s.put(harbour()...)
	s.ok("attach", s.Attach(s.ctx(), project, "history", []byte("history")))
	s.attached("once attached", project, "history")
	s.ok("remove", s.Remove(s.ctx(), project, lockWait))
	s.attached("after the removal", project, "")
	s.put(harbour()...)
	s.attached("of the project made again", project, "")
}

func attachedKinds(t *testing.T, s *store) {
	s.put(harbour()...)
	kinds := []string{"history", "words", "other"}
	have := map[string]string{}
	check := func(what string) {
		t.Helper()
		for _, kind := range kinds {
			got, err := s.Attached(s.ctx(), project, kind)
			s.ok(what, err)
			if string(got) != have[kind] {
				t.Errorf("%s: of kind %q %q is attached, want %q", what, kind, got, have[kind])
			}
		}
	}
	for _, step := range []struct{ kind, blob string }{{"words", "anchor\nbuoy"}, {"history", "past"}, {"other", "o"}, {"words", "anchor"}, {"history", ""}, {"words", ""}} {
		have[step.kind] = step.blob
		s.ok("attach", s.Attach(s.ctx(), project, step.kind, []byte(step.blob)))
		check("after " + step.kind + " " + step.blob)
	}
	s.ok("attach", s.Attach(s.ctx(), project, "words", []byte("buoy")))
	s.ok("remove", s.Remove(s.ctx(), project, lockWait))
	clear(have)
	check("after the removal")
	s.put(harbour()...)
	check("of the project made again")
}
