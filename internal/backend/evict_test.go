package backend

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/eviction"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/search"
)

func TestDamagedCopiesOfAllFilesGoForRoom(t *testing.T) {
	t.Parallel()
	b := open(t, Options{StateDir: t.TempDir(), MaxStateBytes: 100})
	copies := []string{"queue.db.bad", "documents.db.bad-20260101T000000.000000Z"}
	for _, name := range append(copies, "queue.db") {
		if err := os.WriteFile(filepath.Join(b.opts.StateDir, name), make([]byte, 200), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(b.opts.StateDir, projectsDir), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := b.Evict(t.Context(), "web", eviction.Client); err != nil {
		t.Fatal(err)
	}
	for _, name := range copies {
		if _, err := os.Lstat(filepath.Join(b.opts.StateDir, name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there: %v", name, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(b.opts.StateDir, "queue.db")); err != nil {
		t.Error(err)
	}
}

// A daemon that did not hear of it would take the missing project for a loss of the store.
func TestDaemonsHearOfAnEvictedProject(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	s := rdbtest.Own(t, rdbtest.Search)
	b := open(t, Options{StateDir: t.TempDir(), Redis: s.URL, Prefix: s.Prefix, MaxStateBytes: 1})
	for _, id := range []string{"asked", "other"} {
		w, err := b.Index.Writer(ctx, search.Spec{Project: id, Root: "/" + id, Model: search.Model{Embedder: "none"}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.Commit(ctx, true)
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	heard := s.Client(t).Subscribe(ctx, b.removedChannel())
	defer func() { _ = heard.Close() }()
	if _, err := heard.Receive(ctx); err != nil { // it is subscribed from here on
		t.Fatal(err)
	}
	if err := b.Evict(ctx, "asked", eviction.Client); err != nil {
		t.Fatal(err)
	}
	if m, err := heard.ReceiveMessage(ctx); err != nil || m.Payload != "other" {
		t.Errorf("%v, %v", m, err)
	}
}
