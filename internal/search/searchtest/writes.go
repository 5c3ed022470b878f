package searchtest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

var writeTests = []test{
	{"entries come back by path with every field as it was", roundTrip},
	{"a path may hold any byte that is not NUL", oddPaths},
	{"Touch changes an entry and keeps its chunks", touch},
	{"a left-out file is remembered and not indexed", skips},
	{"the last of several changes of one path counts", lastChange},
	{"a snapshot shows each file in one version, a pinned one in the old", isolation},
	{"a root that has moved takes all old files along", rootMoved},
	{"a changed model starts from nothing and the old serves until Commit", modelChanged},
	{"a full re-index serves the old index until Commit", fullBeside},
	{"an abandoned full re-index leaves the old index", fullAbandoned},
	{"changes that were not committed do no harm", uncommitted},
	{"many small commits add up", manyCommits},
	{"bad input is refused and changes nothing", badInput},
}

func roundTrip(t *testing.T, s *store) {
	docs := harbour()
	docs[1].Entry.CTime, docs[1].Entry.Inode, docs[1].Entry.MTime = 0, 0, -1
	docs[2].Entry.Inode = 1<<64 - 1
	var want []search.Entry
	for _, d := range docs {
		want = append(want, d.Entry)
	}
	skip := skipped("secret.env", code.SecretContent, `rule "aws-key", line 3`)
	want = append(want, skip)
	slices.SortFunc(want, func(a, b search.Entry) int { return strings.Compare(a.Path, b.Path) })

	w := s.writer(spec())
	s.ok("touch", w.Touch(s.ctx(), skip))
	for _, d := range docs {
		s.ok("put", w.Put(s.ctx(), d))
	}
	s.commit(w, true)
	s.ok("close", w.Close())
	snap := s.snapshot(project)
	check := func(who string, got []search.Entry) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: entries\n%+v\nwant\n%+v", who, got, want)
		}
	}
	check("Snapshot", s.entries(snap))
	for _, e := range want {
		got, ok, err := snap.Entry(s.ctx(), e.Path)
		s.ok("entry", err)
		if !ok || got != e {
			t.Errorf("entry %v\n%+v\nwant\n%+v", ok, got, e)
		}
	}
	for _, p := range []code.Path{"", "berth", "berth/assign.g", "zzz"} {
		if _, ok, err := snap.Entry(s.ctx(), p); ok || err != nil {
			t.Errorf("entry of %q: %v, %v, want none", p, ok, err)
		}
	}
	w = s.writer(spec())
	check("Writer", w.Entries())
	s.ok("close", w.Close())
	s.Index = s.handle()
	check("another handle", s.entries(s.snapshot(project)))
}

var oddNames = []code.Path{"a\nb.go", `c:\d.go`, `"quoted" 'path'.go`, "ünïcode/日本.go", " lead and trail ", "-dash", "*.go", "[a]{b}?.go",
	"a,b|c@d{e}f(g)~h.go", "$HOME/`x`", "tab\there", "\x01\x7f.go", strings.Repeat("long/", 400) + "x.go", "%s%d", "a//b", "latin\xe9.txt"}

func oddPaths(t *testing.T, s *store) {
	var docs []search.Document
	for _, p := range oddNames {
		docs = append(docs, Doc(p, "go", "oddity "+"w"+numbered(len(docs))))
	}
	s.put(docs...)
	snap := s.snapshot(project)
	want := slices.Sorted(slices.Values(oddNames))
	if got := entryPaths(s.entries(snap)); got != strings.Join(want, "\n")+"\n" {
		t.Errorf("entries %q, want %q", got, want)
	}
	for _, p := range oddNames {
		if _, ok, err := snap.Entry(s.ctx(), p); !ok || err != nil {
			t.Errorf("entry of %q: %v, %v", p, ok, err)
		}
	}
	for _, p := range oddNames[:len(oddNames)/2] {
		s.change(spec(), nil, p)
	}
	if r := s.record(); r.Files != len(oddNames)-len(oddNames)/2 {
		t.Errorf("%d files left, want %d", r.Files, len(oddNames)-len(oddNames)/2)
	}
}

func touch(t *testing.T, s *store) {
	s.put(harbour()...)
	w := s.writer(spec())
	e, _ := find(w.Entries(), "berth/assign.go")
	e.MTime, e.CTime, e.Inode, e.SeenAt = 11, 12, 13, 14
	s.ok("touch", w.Touch(s.ctx(), e))
	p := s.commit(w, true)
	s.ok("close", w.Close())
	snap := s.snapshot(project)
	got, ok, err := snap.Entry(s.ctx(), e.Path)
	s.ok("entry", err)
	if !ok || got != e {
		t.Errorf("touched entry %+v, want %+v", got, e)
	}
	if p.Chunks != s.record().Chunks || p.Files != len(harbour()) {
		t.Errorf("touching has changed the record to %+v", p)
	}
}

func skips(t *testing.T, s *store) {
	s.put(harbour()...)
	w := s.writer(spec())
	gone := skipped("lamp/keeper.rs", code.Generated, "header")
	never := skipped("x.min.js", code.Minified, "")
	s.ok("touch", w.Touch(s.ctx(), gone))
	s.ok("touch", w.Touch(s.ctx(), never))
	p := s.commit(w, true)
	s.ok("close", w.Close())
	if p.Files != len(harbour())-1 {
		t.Errorf("%d files, want %d", p.Files, len(harbour())-1)
	}
	snap := s.snapshot(project)
	for _, want := range []search.Entry{gone, never} {
		if got, ok, err := snap.Entry(s.ctx(), want.Path); got != want || !ok || err != nil {
			t.Errorf("entry %+v, %v, %v, want %+v", got, ok, err, want)
		}
	}
	if n := len(s.entries(snap)); n != len(harbour())+1 {
		t.Errorf("%d entries, want %d", n, len(harbour())+1)
	}
}

func lastChange(t *testing.T, s *store) {
	s.put(harbour()...)
	w := s.writer(spec())
	a, b, c := Doc("berth/queue.go", "go", "first", "first"), Doc("berth/queue.go", "go", "second"), Doc("new.go", "go", "third")
	s.ok("put", w.Put(s.ctx(), a))
	s.ok("delete", w.Delete(s.ctx(), a.Entry.Path))
	s.ok("put", w.Put(s.ctx(), b))
	s.ok("put", w.Put(s.ctx(), c))
	s.ok("delete", w.Delete(s.ctx(), c.Entry.Path))
	s.ok("delete", w.Delete(s.ctx(), "lamp/keeper.rs"))
	s.ok("put", w.Put(s.ctx(), harbour()[4]))
	s.commit(w, true)
	s.ok("close", w.Close())
	r := s.record()
	want := 0
	for _, d := range harbour() {
		want += d.Entry.Chunks
	}
	if r.Files != len(harbour()) || r.Chunks != want {
		t.Errorf("%d files and %d chunks, want %d and %d", r.Files, r.Chunks, len(harbour()), want)
	}
	e, _, err := s.snapshot(project).Entry(s.ctx(), "berth/queue.go")
	s.ok("entry", err)
	if e != b.Entry {
		t.Errorf("entry %+v, want %+v", e, b.Entry)
	}
}

func badInput(t *testing.T, s *store) {
	sp := spec()
	sp.Project = "../../etc"
	if _, err := s.Writer(s.ctx(), sp); err == nil {
		t.Error("a project id that is a path is taken")
	}
	if _, err := s.Open(s.ctx(), sp.Project); !errors.Is(err, search.ErrNoProject) {
		t.Errorf("Open of it gave %v, want ErrNoProject", err)
	}
	s.put(harbour()...)
	w := s.writer(spec())
	short := harbour()[0]
	short.Vectors = short.Vectors[:1]
	wide := harbour()[0]
	wide.Vectors = [][]float32{make([]float32, dims+1), make([]float32, dims), make([]float32, dims)}
	for what, d := range map[string]search.Document{"too few vectors": short, "a vector too long": wide, "no file": {Entry: short.Entry}} {
		if err := w.Put(s.ctx(), d); err == nil {
			t.Errorf("a document with %s is taken", what)
		}
	}
	if err := w.Touch(s.ctx(), search.Entry{Path: "not/there.go"}); err == nil {
		t.Error("Touch of a file that is not there is taken")
	}
	s.ok("close", w.Close())
	if r := s.record(); r.Generation != 1 || r.Files != len(harbour()) {
		t.Errorf("the record is %+v", r)
	}
}
