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

func rootMoved(t *testing.T, s *store) {
	old := s.put(harbour()...)
	sp := spec()
	sp.Root = "/srv/elsewhere"
	w := s.writer(sp)
	if p := w.Project(); p.Root != root || p.Generation != old.Generation {
		t.Errorf("the Writer's record is %+v, want it as it was", p)
	}
	if n := len(w.Entries()); n != 0 {
		t.Errorf("%d entries of the old root", n)
	}
	s.ok("put", w.Put(s.ctx(), harbour()[0]))
	p := s.commit(w, true)
	s.ok("close", w.Close())
	if p.Root != sp.Root || p.Files != 1 || p.Generation != old.Generation+1 || p.Epoch != old.Epoch {
		t.Errorf("the record is %+v", p)
	}
	if list := s.entries(s.snapshot(project)); len(list) != 1 {
		t.Errorf("%d entries, want 1", len(list))
	}
}

func modelChanged(t *testing.T, s *store) {
	old := s.put(harbour()...)
	sp := spec()
	sp.Model = search.Model{Embedder: "none", Analyzer: 2}
	w := s.writer(sp)
	if n := len(w.Entries()); n != 0 {
		t.Errorf("%d entries of the old model", n)
	}
	d := Doc("only.go", "go", "berth")
	d.Vectors = nil
	s.ok("put", w.Put(s.ctx(), d))
	if r := s.record(); r != old {
		t.Errorf("before Commit the record is %+v, want %+v", r, old)
	}
	p := s.commit(w, true)
	s.ok("close", w.Close())
	if p.Model != sp.Model || p.Files != 1 || p.Generation != old.Generation+1 || p.Epoch != old.Epoch {
		t.Errorf("the record is %+v", p)
	}
	if r := s.record(); r != p {
		t.Errorf("Open gives %+v, Commit %+v", r, p)
	}
}

func fullBeside(t *testing.T, s *store) {
	old := s.put(harbour()...)
	sp := spec()
	sp.Full = true
	w := s.writer(sp)
	if n := len(w.Entries()); n != 0 {
		t.Errorf("a full re-index begins with %d entries", n)
	}
	s.ok("put", w.Put(s.ctx(), Doc("new/berth.go", "go", "berth berth")))
	s.ok("put", w.Put(s.ctx(), Doc("berth/queue.go", "go", "changed")))
	snap := s.snapshot(project)
	if r := snap.Project(); r != old {
		t.Errorf("before Commit the record is %+v, want %+v", r, old)
	}
	if got, want := entryPaths(s.entries(snap)), entryPaths(byPath(entriesOf(harbour()))); got != want {
		t.Errorf("before Commit the entries are %q, want %q", got, want)
	}
	for _, c := range s.ask(snap, search.Query{Words: words("berth")}).Files {
		if e, ok := find(entriesOf(harbour()), c.Entry.Path); !ok || e != c.Entry {
			t.Errorf("before Commit %q is nominated as it will be", c.Entry.Path)
		}
	}
	p := s.commit(w, true)
	s.ok("close", w.Close())
	if p.Files != 2 || p.Generation != old.Generation+1 {
		t.Errorf("after Commit the record is %+v", p)
	}
	if got := entryPaths(s.entries(s.snapshot(project))); got != "berth/queue.go\nnew/berth.go\n" {
		t.Errorf("after Commit the entries are %q", got)
	}
}

func byPath(list []search.Entry) []search.Entry {
	slices.SortFunc(list, func(a, b search.Entry) int { return strings.Compare(a.Path, b.Path) })
	return list
}

func fullAbandoned(t *testing.T, s *store) {
	old := s.put(harbour()...)
	sp := spec()
	sp.Full = true
	w := s.writer(sp)
	s.ok("put", w.Put(s.ctx(), Doc("berth/queue.go", "go", "half")))
	s.ok("close", w.Close())
	snap := s.snapshot(project)
	if r := snap.Project(); r != old {
		t.Errorf("the record is %+v, want %+v", r, old)
	}
	if got, want := s.entries(snap), byPath(entriesOf(harbour())); !slices.Equal(got, want) {
		t.Errorf("the entries are %+v, want %+v", got, want)
	}
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
