package redisearch

import (
	"fmt"
	"slices"
	"testing"

	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/search"
)

func TestTheVectorIndexIsTheOneThatIsAskedFor(t *testing.T) {
	t.Parallel()
	s := rdbtest.Start(t, rdbtest.Search)
	for kind, hnsw := range map[string]bool{"": false, "auto": false, "flat": false, "hnsw": true} {
		prefix := s.Prefix + "v" + kind
		x, err := Open(Options{URL: s.URL, Prefix: prefix, Vectors: kind})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		for i := range 2 {
			put(t, x, search.Spec{}, source(fmt.Sprintf("f%d.go", i), "lamp1", "target1"))
		}
		wanted := []string{"flat"}
		if hnsw {
			wanted = largeKinds[compact]
		}
		if got := indexKinds(t, s, prefix); !slices.Equal(got, wanted) {
			t.Errorf("%q: search indexes %q, want %q", kind, got, wanted)
		}
		paths := askBuilt(t, x, search.Query{Vector: vectorOf("target1", dims), Files: 2})
		want(t, kind, paths, "f0.go", "f1.go")
	}
}
