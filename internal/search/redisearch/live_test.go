package redisearch

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/search"
)

// letters is a word for a number.
func letters(i int) string { return strings.Repeat(string(rune('a'+i)), 5) }

// TestABuildOfKnownSizeIsIndexedWhileItIsWritten: before its commit the server holds each chunk in the index that fits
// the size that was expected, and after it the one that fits what came.
func TestABuildOfKnownSizeIsIndexedWhileItIsWritten(t *testing.T) {
	t.Parallel()
	large := largeKinds[compact]
	for _, tc := range []struct {
		name             string
		expected, chunks int
		next             bool
		before, after    []string
	}{
		{"small", 2, 3, false, []string{"flat"}, []string{"flat"}},
		{"large", 10, 10, false, []string{wordsOnly}, large},
		{"large, beside another", 10, 10, true, large, large},
		{"larger than expected", 2, 6, false, []string{"flat"}, []string{"flat"}},
		{"far larger than expected", 2, 10, false, []string{"flat"}, large},
		{"smaller than expected", 10, 2, false, []string{wordsOnly}, large},
		{"not expected", 0, 10, false, []string{}, large},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			x, s := newIndex(t, rdbtest.Search)
			x.flatBelow, x.hnswAbove = 5, 8
			ctx := context.Background()
			spec := search.Spec{}
			served := []string{}
			if tc.next {
				put(t, x, spec, source("old.go", "old1"))
				spec, served = search.Spec{Next: true, Model: other}, []string{"flat"}
			}
			w := writerOf(t, x, spec)
			if tc.expected > 0 {
				w.Expect(int64(tc.expected) * chunkBytes)
			}
			for i := range tc.chunks {
				if err := w.Put(ctx, source(fmt.Sprintf("f%d.go", i), letters(i))); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.batch.flush(); err != nil {
				t.Fatal(err)
			}
			begun := append(served, tc.before...)
			slices.Sort(begun)
			if got := indexKinds(t, s, s.Prefix); !slices.Equal(got, begun) {
				t.Errorf("search indexes before the commit: %q, want %q", got, begun)
			}
			for _, kind := range tc.before {
				idx := x.keys.flat("p", w.rec.ver)
				if kind != "flat" {
					idx += kind
				}
				if in, err := indexInfo(ctx, s.Client(t), idx); err != nil || in.busy || in.docs != tc.chunks {
					t.Errorf("%s before the commit: %+v, %v; want %d chunks", kind, in, err, tc.chunks)
				}
			}
			commit(t, w)
			w.Close()
			if got := indexKinds(t, s, s.Prefix); !slices.Equal(got, tc.after) {
				t.Errorf("search indexes after the commit: %q, want %q", got, tc.after)
			}
			last := letters(tc.chunks - 1)
			path := fmt.Sprintf("f%d.go", tc.chunks-1)
			want(t, "by vector", askBuilt(t, x, search.Query{Vector: vectorOf(last, dims), Files: 1}), path)
			paths, _ := ask(t, x, query(last))
			want(t, "by word", paths, path)
		})
	}
}

// TestAnUnfinishedBuildGoesOnInTheIndexThatItHas: its next writer adds to it, expected or not.
func TestAnUnfinishedBuildGoesOnInTheIndexThatItHas(t *testing.T) {
	t.Parallel()
	x, s := newIndex(t, rdbtest.Search)
	x.flatBelow, x.hnswAbove = 5, 8
	ctx := context.Background()
	put(t, x, search.Spec{}, source("old.go", "old1"))
	for i := range 4 {
		w := writerOf(t, x, search.Spec{Next: true, Model: other})
		w.Expect(10 * chunkBytes)
		if err := w.Put(ctx, source(fmt.Sprintf("f%d.go", i), letters(i), letters(10+i))); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Commit(ctx, i == 3); err != nil {
			t.Fatal(err)
		}
		w.Close()
	}
	if got := indexKinds(t, s, s.Prefix); !slices.Equal(got, largeKinds[compact]) {
		t.Errorf("search indexes %q", got)
	}
	for i := range 4 {
		paths, n := ask(t, x, query(letters(i)))
		want(t, "by word", paths, fmt.Sprintf("f%d.go", i))
		if n.VectorsBuilding || n.Building {
			t.Errorf("still building: %+v", n)
		}
	}
}
