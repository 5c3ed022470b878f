package sqlite

import (
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/contextd/contextd/internal/store"
	"github.com/contextd/contextd/internal/store/storetest"
)

func TestMain(m *testing.M) {
	storetest.Main(m, func(path string) (store.Store, error) { return Open(path, slog.New(slog.DiscardHandler)) })
}

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Place {
		path := filepath.Join(t.TempDir(), "state", "documents.db")
		return storetest.Place{Open: func() store.Store { return open(t, path) }, Where: path}
	})
}

func open(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}
