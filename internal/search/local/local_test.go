package local

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/search/searchtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestKeepsThePromisesOfSearch(t *testing.T) {
	t.Parallel()
	searchtest.Run(t, func(t *testing.T) func() search.Index {
		dir := t.TempDir()
		return func() search.Index { return open(t, dir) }
	})
}

// open opens the index of dir, with segments small enough for a test to have several.
func open(t testing.TB, dir string) *Index {
	t.Helper()
	ix, err := Open(Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return ix
}
