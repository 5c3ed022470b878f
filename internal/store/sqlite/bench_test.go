package sqlite

import (
	"path/filepath"
	"testing"

	"github.com/contextd/contextd/internal/store/storetest"
)

func BenchmarkStore(b *testing.B) {
	storetest.Bench(b, open(b, filepath.Join(b.TempDir(), "documents.db")))
}

// A command opens the store, looks and closes it.
func BenchmarkOpenReadClose(b *testing.B) {
	path := filepath.Join(b.TempDir(), "documents.db")
	write(b, open(b, path), "a", "1")
	for b.Loop() {
		s := open(b, path)
		docsOf(b, s)
		s.Close()
	}
}
