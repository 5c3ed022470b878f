package searchtest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

var recordTests = []test{
	{"a project that was never written is ErrNoProject", noProject},
	{"an empty project has a record and no files", emptyProject},
	{"projects are listed by id with their records", projectList},
	{"the generation grows by one with each commit that changed a file", generations},
	{"the record counts indexed files, chunks and bytes", counts},
	{"IndexedAt is set by complete commits and by Confirm", indexedAt},
	{"Fail is recorded until the next commit", failures},
	{"Remove forgets a project and nothing else", remove},
	{"a project removed and made again starts a new epoch at generation one", epochs},
}

func noProject(t *testing.T, s *store) {
	if _, err := s.Open(s.ctx(), project); !errors.Is(err, search.ErrNoProject) {
		t.Errorf("Open gave %v, want ErrNoProject", err)
	}
	s.ok("confirm", s.Confirm(s.ctx(), project, time.Now()))
	s.ok("fail", s.Fail(s.ctx(), project, "no reason"))
	s.ok("remove", s.Remove(s.ctx(), project, 0))
	list, err := s.Projects(s.ctx())
	s.ok("list projects", err)
	if len(list) != 0 {
		t.Errorf("projects %v, want none", list)
	}
	w := s.writer(spec())
	if p := w.Project(); p.Generation != 0 || p.ID != project || p.Rebuilt {
		t.Errorf("a new project's record is %+v", p)
	}
	if n := len(w.Entries()); n != 0 {
		t.Errorf("a new project has %d entries", n)
	}
	s.ok("close", w.Close())
	if _, err := s.Open(s.ctx(), project); !errors.Is(err, search.ErrNoProject) {
		t.Errorf("after a writer that did nothing Open gave %v, want ErrNoProject", err)
	}
}

func emptyProject(t *testing.T, s *store) {
	p := s.put()
	if p.Files != 0 || p.Chunks != 0 || p.Bytes != 0 || p.IndexedAt.IsZero() || p.Generation != 0 {
		t.Errorf("the record of an empty project is %+v", p)
	}
	snap := s.snapshot(project)
	if n := s.ask(snap, search.Query{Words: words("berth"), Vector: vectorOf("x")}); len(n.Files) != 0 || n.Stats.Files != 0 || n.Stats.Chunks != 0 {
		t.Errorf("an empty project nominates %+v", n)
	}
	if list := s.entries(snap); len(list) != 0 {
		t.Errorf("entries %v, want none", list)
	}
}

func projectList(t *testing.T, s *store) {
	ids := []string{"zebra", "a.b-c_d", "Alpha-00000000"}
	for i, id := range ids {
		sp := spec()
		sp.Project, sp.Root = id, fmt.Sprintf("/srv/%q ü %d", id, i)
		s.change(sp, harbour()[:i+1])
	}
	list, err := s.Projects(s.ctx())
	s.ok("list projects", err)
	var got []string
	for _, p := range list {
		got = append(got, p.ID)
		snap := s.snapshot(p.ID)
		if o := snap.Project(); o != p {
			t.Errorf("Projects says %+v, Open %+v", p, o)
		}
		if i := slices.Index(ids, p.ID); p.Files != i+1 || p.Root != fmt.Sprintf("/srv/%q ü %d", p.ID, i) || p.Model != model || p.Epoch == "" {
			t.Errorf("record %+v", p)
		}
	}
	if want := slices.Sorted(slices.Values(ids)); !slices.Equal(got, want) {
		t.Errorf("projects %q, want %q", got, want)
	}
}

func generations(t *testing.T, s *store) {
	want := func(what string, p search.Project, gen int64) {
		t.Helper()
		if p.Generation != gen {
			t.Errorf("after %s the generation is %d, want %d", what, p.Generation, gen)
		}
		if r := s.record(); r.Generation != gen || r.Epoch != p.Epoch {
			t.Errorf("after %s Open gives generation %d of %q, Commit %d of %q", what, r.Generation, r.Epoch, gen, p.Epoch)
		}
	}
	first := s.put(harbour()...)
	want("the first commit", first, 1)
	want("a commit of nothing", s.put(), 1)
	want("a replaced file", s.put(Doc("berth/queue.go", "go", "@other")), 2)
	want("the deletion of a file that is not there", s.change(spec(), nil, "no/such.go"), 2)
	want("a deletion", s.change(spec(), nil, "berth/queue.go"), 3)

	w := s.writer(spec())
	e, _ := find(w.Entries(), "lamp/keeper.rs")
	e.MTime++
	s.ok("touch", w.Touch(s.ctx(), e))
	want("a touch", s.commit(w, true), 3)
	s.ok("put", w.Put(s.ctx(), harbour()[1]))
	s.ok("put", w.Put(s.ctx(), harbour()[0]))
	want("two files in one commit", s.commit(w, true), 4)
	want("a second commit of nothing", s.commit(w, false), 4)
	s.ok("delete", w.Delete(s.ctx(), "docs/harbour.md"))
	want("a third commit of one writer", s.commit(w, true), 5)
	s.ok("close", w.Close())

	full := spec()
	full.Full = true
	p := s.change(full, harbour())
	want("a full re-index with other files", p, 6)
	want("a full re-index with the same files", s.change(full, harbour()), 6)
	renewed := spec()
	renewed.Model.Analyzer++
	want("another analyzer over the same files", s.change(renewed, harbour()), 6)
	if p.Epoch != first.Epoch {
		t.Errorf("a full re-index has changed the epoch from %q to %q", first.Epoch, p.Epoch)
	}
}

func counts(t *testing.T, s *store) {
	w := s.writer(spec())
	var size int64
	var chunks int
	for _, d := range harbour() {
		s.ok("put", w.Put(s.ctx(), d))
		size += d.Entry.Size
		chunks += d.Entry.Chunks
	}
	s.ok("touch", w.Touch(s.ctx(), skipped("logo.bin", code.Binary, "NUL byte")))
	s.ok("put", w.Put(s.ctx(), Doc("empty.go", "go")))
	check := func(what string, files, chunks int, size int64) {
		t.Helper()
		p := s.commit(w, true)
		if p.Files != files || p.Chunks != chunks || p.Bytes != size {
			t.Errorf("%s: %d files, %d chunks, %d bytes, want %d, %d, %d", what, p.Files, p.Chunks, p.Bytes, files, chunks, size)
		}
		if r := s.record(); r != p {
			t.Errorf("%s: Open gives %+v, Commit %+v", what, r, p)
		}
	}
	check("all files", 6, chunks, size+1)
	d := harbour()[0]
	s.ok("delete", w.Delete(s.ctx(), d.Entry.Path))
	s.ok("delete", w.Delete(s.ctx(), "logo.bin"))
	check("after deletions", 5, chunks-d.Entry.Chunks, size+1-d.Entry.Size)
	s.ok("touch", w.Touch(s.ctx(), skipped("empty.go", code.Minified, "one long line")))
	check("after a file is left out", 4, chunks-d.Entry.Chunks, size-d.Entry.Size)
	s.ok("put", w.Put(s.ctx(), Doc("empty.go", "go", "no longer")))
	check("after it is back", 5, chunks-d.Entry.Chunks+1, size-d.Entry.Size+10)
	s.ok("close", w.Close())
}

func find(list []search.Entry, p code.Path) (search.Entry, bool) {
	for _, e := range list {
		if e.Path == p {
			return e, true
		}
	}
	return search.Entry{}, false
}
