package redisearch

import (
	"fmt"
	"testing"

	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/search"
)

func TestSizeGrowsWithAProjectAndIsNothingOnceItIsRemoved(t *testing.T) {
	t.Parallel()
	x, _ := newIndex(t, rdbtest.Search)
	ctx := t.Context()
	size := func() int64 {
		t.Helper()
		n, err := x.Size(ctx, "p")
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := size(); n != 0 {
		t.Errorf("%d bytes of nothing", n)
	}
	docs := func(n int) (all []search.Document) {
		for i := range n {
			all = append(all, source(fmt.Sprintf("f%03d.go", i), fmt.Sprintf("word%d", i)))
		}
		return all
	}
	put(t, x, search.Spec{}, docs(10)...)
	small := size()
	put(t, x, search.Spec{}, docs(100)...)
	if large := size(); small <= 0 || large < 5*small || large > 15*small {
		t.Errorf("%d bytes of 10 files, %d of 100", small, large)
	}
	if err := x.Remove(ctx, "p", 0); err != nil {
		t.Fatal(err)
	}
	if n := size(); n != 0 {
		t.Errorf("%d bytes are left", n)
	}
}
