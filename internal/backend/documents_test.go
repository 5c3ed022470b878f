package backend

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/statedir"
	"github.com/contextd/contextd/internal/store"
)

func TestDocumentsAreOneStoreForAllWhoOpenThisBacking(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, b *Backend) {
		shelf := store.Shelf{Bucket: "memory", Owner: "knight"}
		s, err := b.Documents()
		if err != nil {
			t.Fatal(err)
		}
		rev, err := s.Apply(t.Context(), shelf, store.Write{ID: "a", Data: []byte("1")})
		if err != nil {
			t.Fatal(err)
		}
		if again, err := b.Documents(); again != s || err != nil {
			t.Errorf("a second store was opened, %v", err)
		}
		other, err := open(t, b.opts).Documents()
		if err != nil {
			t.Fatal(err)
		}
		if d, err := other.Get(t.Context(), shelf, "a"); err != nil || string(d.Data) != "1" || d.Rev != rev {
			t.Errorf("another process reads %+v, %v", d, err)
		}
		if b.Name == Embedded {
			for path, want := range map[string]os.FileMode{
				b.opts.StateDir: 0o700,
				filepath.Join(b.opts.StateDir, documentsFile): 0o600,
			} {
				if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
					t.Errorf("%s: %v, %v; want mode %v", path, info, err, want)
				}
			}
		}
	})
}

func TestDamagedDocumentsAreListed(t *testing.T) {
	t.Parallel()
	b := open(t, Options{StateDir: filepath.Join(t.TempDir(), "state")})
	if all, err := b.DamagedDocuments(); len(all) > 0 || err != nil {
		t.Errorf("%q, %v", all, err)
	}
	path := filepath.Join(b.opts.StateDir, documentsFile)
	if err := errors.Join(statedir.Make(b.opts.StateDir),
		os.WriteFile(path, []byte("no database"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Documents(); err != nil {
		t.Fatal(err)
	}
	if all, err := b.DamagedDocuments(); len(all) != 1 || err != nil || filepath.Dir(all[0]) != b.opts.StateDir {
		t.Errorf("%q, %v", all, err)
	}
}

// What "indexer reset" does to all projects, and the bounds of the state to single ones, is no loss to memory.
func TestRemovingAProjectKeepsWhatIsRememberedOfIt(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, b *Backend) {
		ctx := t.Context()
		w, err := b.Index.Writer(ctx, search.Spec{Project: "web", Root: t.TempDir(),
			Model: search.Model{Embedder: "none"}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.Commit(ctx, true)
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		s, err := b.Documents()
		if err != nil {
			t.Fatal(err)
		}
		shelf := store.Shelf{Bucket: "history", Owner: "web"}
		_, err = s.Apply(ctx, shelf, store.Write{ID: "a", Data: []byte("1")})
		if err := errors.Join(err, b.Index.Remove(ctx, "web", 0), b.Forget(ctx, "")); err != nil {
			t.Fatal(err)
		}
		if d, err := s.Get(ctx, shelf, "a"); err != nil || string(d.Data) != "1" {
			t.Errorf("%+v, %v", d, err)
		}
		if s, err := b.ExistingDocuments(); s == nil || err != nil {
			t.Errorf("%v, %v", s, err)
		}
	})
}

func TestWhoOnlyLooksForDocumentsMakesNoFile(t *testing.T) {
	t.Parallel()
	b := open(t, Options{StateDir: filepath.Join(t.TempDir(), "state")})
	if s, err := b.ExistingDocuments(); s != nil || err != nil {
		t.Errorf("%v, %v", s, err)
	}
	if _, err := os.Stat(b.opts.StateDir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("looking made the state directory: %v", err)
	}
}
