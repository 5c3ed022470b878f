package searchtest

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

// project is the one that most tests use.
const project = "web-1a2b3c4d"

const root = "/srv/web"

// dims is short, for clear test data.
const dims = 8

var model = search.Model{Embedder: "static/test-1", Dims: dims, Analyzer: 1}

// lockWait is long enough for any other holder of a test to finish.
const lockWait = 30 * time.Second

// store is the index under test, with the steps that tests are made of; each fails the test on an error.
type store struct {
	search.Index
	t    *testing.T
	open func() search.Index
}

func (s *store) handle() search.Index {
	ix := s.open()
	s.t.Cleanup(func() {
		if err := ix.Close(); err != nil {
			s.t.Errorf("close the index: %v", err)
		}
	})
	return ix
}

func (s *store) ok(what string, err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatalf("%s: %v", what, err)
	}
}

func (s *store) ctx() context.Context { return s.t.Context() }

func spec() search.Spec {
	return search.Spec{Project: project, Root: root, Model: model, Wait: lockWait}
}

func (s *store) writer(sp search.Spec) search.Writer {
	s.t.Helper()
	w, err := s.Writer(s.ctx(), sp)
	s.ok("take the write lock", err)
	return w
}

// change is one run of ingest: it puts and deletes, commits and lets go of the lock.
func (s *store) change(sp search.Spec, puts []search.Document, deletes ...code.Path) search.Project {
	s.t.Helper()
	w := s.writer(sp)
	defer func() { s.ok("close the writer", w.Close()) }()
	for _, d := range puts {
		s.ok("put", w.Put(s.ctx(), d))
	}
	for _, p := range deletes {
		s.ok("delete", w.Delete(s.ctx(), p))
	}
	return s.commit(w, true)
}

func (s *store) put(docs ...search.Document) search.Project {
	s.t.Helper()
	return s.change(spec(), docs)
}

func (s *store) commit(w search.Writer, complete bool) search.Project {
	s.t.Helper()
	p, err := w.Commit(s.ctx(), complete)
	s.ok("commit", err)
	return p
}

func (s *store) snapshot(id string) search.Snapshot {
	s.t.Helper()
	snap, err := s.Open(s.ctx(), id)
	s.ok("open", err)
	s.t.Cleanup(func() { _ = snap.Close() })
	return snap
}

func (s *store) record() search.Project {
	s.t.Helper()
	snap := s.snapshot(project)
	defer snap.Close()
	return snap.Project()
}

func (s *store) entries(snap search.Snapshot) []search.Entry {
	s.t.Helper()
	list, err := snap.Entries(s.ctx())
	s.ok("list the entries", err)
	return list
}

func (s *store) nominate(q search.Query) *search.Nominees {
	s.t.Helper()
	snap := s.snapshot(project)
	defer snap.Close()
	return s.ask(snap, q)
}

func (s *store) ask(snap search.Snapshot, q search.Query) *search.Nominees {
	s.t.Helper()
	n, err := snap.Nominate(s.ctx(), q)
	s.ok("nominate", err)
	if n.Partial {
		s.t.Fatalf("nominate: the reply is partial without a deadline")
	}
	return n
}

// finds checks which files a query nominates.
func (s *store) finds(what string, q search.Query, want ...code.Path) {
	s.t.Helper()
	got := paths(s.nominate(q))
	slices.Sort(want)
	if !slices.Equal(got, want) {
		s.t.Errorf("%s: nominated %q, want %q", what, got, want)
	}
}

// paths are the nominated files, sorted.
func paths(n *search.Nominees) []code.Path {
	list := make([]code.Path, 0, len(n.Files))
	for i := range n.Files {
		list = append(list, n.Files[i].Entry.Path)
	}
	slices.Sort(list)
	return list
}

func entryPaths(list []search.Entry) string {
	var b strings.Builder
	for i := range list {
		b.WriteString(list[i].Path + "\n")
	}
	return b.String()
}
