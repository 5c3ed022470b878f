package eviction

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

func TestWhatCannotBeRemovedRemovesNoIndex(t *testing.T) {
	t.Parallel()
	log := &logged{}
	b := inFiles(t, log.logger())
	bring(t, b, "a", 100)
	bring(t, b, "b", 100)
	b.opts.MaxBytes = 2 * bytesOf(t, b)
	write := func(name string, size int64) string {
		path := filepath.Join(b.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	kept := []string{write("documents.db", 3*b.opts.MaxBytes), write("audit/a.jsonl", 3*b.opts.MaxBytes),
		write("queue.db", b.opts.MaxBytes)}
	for range 3 {
		if err := b.Evict(t.Context(), "b", Client); err != nil || ids(t, b) != "a b" {
			t.Fatalf("%s, %v", ids(t, b), err)
		}
	}
	if n := strings.Count(log.text(), "never removed"); n != 1 {
		t.Errorf("said %d times: %s", n, log.text())
	}
	older := write("documents.db.bad-20260101T000000.000000Z", b.opts.MaxBytes)
	write("documents.db.bad-20260101T000000.000000Z-wal", 1)
	newer := write("documents.db.bad-20260201T000000.000000Z", b.opts.MaxBytes/4)
	if err := b.Evict(t.Context(), "b", Client); err != nil || ids(t, b) != "a b" {
		t.Errorf("damaged copies took an index along: %s, %v", ids(t, b), err)
	}
	for _, path := range []string{older, older + "-wal"} {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s is still there", filepath.Base(path))
		}
	}
	for _, path := range append(kept, newer) {
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
}

func TestAnUnfinishedVersionCountsAndGoesWithItsProject(t *testing.T) {
	t.Parallel()
	b := inFiles(t, slog.New(slog.DiscardHandler))
	ctx := t.Context()
	spec := search.Spec{Project: "web", Root: "/web", Model: search.Model{Embedder: "none"}}
	write := func(spec search.Spec, entries int, complete bool) int64 {
		t.Helper()
		w, err := b.opts.Index.Writer(ctx, spec)
		if err != nil {
			t.Fatal(err)
		}
		for i := range entries {
			if err := w.Touch(ctx, search.Entry{Path: strings.Repeat("x", i+1), Skip: code.Binary}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.Commit(ctx, complete); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		size, err := sizeOf(b.dir)
		if err != nil {
			t.Fatal(err)
		}
		return size
	}
	before := write(spec, 1, true)
	spec.Next, spec.Model.Embedder = true, "other"
	after := write(spec, 300, false)
	b.opts.MaxBytes = (before + after) / 2
	if err := b.Evict(ctx, "another", Client); err != nil {
		t.Fatal(err)
	}
	if size, err := sizeOf(b.dir); err != nil || size >= before {
		t.Errorf("%d bytes are left of %d, %v", size, after, err)
	}
}
