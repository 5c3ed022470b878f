package ingest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/search/local"
)

func TestIndexedAtMovesWithARefreshOfPaths(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	index, err := local.Open(local.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	in := ingest.New(index, ingest.Options{})
	refresh := func(text string, paths ...code.Path) *ingest.Report {
		if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		rep, err := in.Refresh(t.Context(), ingest.Request{Project: "p", Root: dir, Paths: paths})
		if err != nil {
			t.Fatal(err)
		}
		return rep
	}
	first := refresh("package a\n")
	if next := refresh("package b\n", "a.go"); !next.Project.IndexedAt.After(first.Project.IndexedAt) {
		t.Errorf("indexed at %v, and after a refresh of the path that changed at %v", first.Project.IndexedAt, next.Project.IndexedAt)
	}
}
