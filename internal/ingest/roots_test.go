package ingest_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/search"
)

// late is an index that tells nothing of a project's first root until a writer has it, as when two processes index at
// once.
type late struct {
	search.Index
	hidden bool
}

func (l *late) Open(ctx context.Context, project string) (search.Snapshot, error) {
	if l.hidden && project == "web" {
		l.hidden = false
		return nil, search.ErrNoProject
	}
	return l.Index.Open(ctx, project)
}

func TestARunUnderAnotherRootsIndexMakesItsOwn(t *testing.T) {
	b := setup(t, map[string]string{"a.go": "package a\n"})
	two := filepath.Join(t.TempDir(), "two")
	if err := os.MkdirAll(two, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(two, "b.go"), []byte("package b\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	two, err := filepath.EvalSymlinks(two)
	if err != nil {
		t.Fatal(err)
	}
	refresh := func(in *ingest.Ingester, project, root string) search.Project {
		t.Helper()
		rep, err := in.Refresh(t.Context(), ingest.Request{Project: project, Root: root})
		if err != nil {
			t.Fatal(err)
		}
		return rep.Project
	}
	in := ingest.New(b.index, ingest.Options{})
	first := refresh(in, "web", b.root)
	further := code.RootIndexID("web", two)
	for name, index := range map[string]search.Index{"told at once": b.index, "found by the writer": &late{b.index, true}} {
		if p := refresh(ingest.New(index, ingest.Options{}), "web", two); p.ID != further || p.Root != two || p.Files != 1 {
			t.Errorf("%s: %+v", name, p)
		}
		if p := refresh(in, "web", b.root); p.ID != "web" || p.Generation != first.Generation || p.Epoch != first.Epoch {
			t.Errorf("%s: the first root's index is %+v, was %+v", name, p, first)
		}
	}
	if p := refresh(in, code.RootIndexID("web", first.Root), first.Root); p.ID != "web" {
		t.Errorf("the first root under a further one's id: %+v", p)
	}
}
