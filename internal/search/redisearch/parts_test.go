package redisearch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/search"
)

// The words of a first large index are searched while the server still builds the graph of its vectors; then both are.
func TestAFirstLargeIndexServesItsWordsBeforeItsVectors(t *testing.T) {
	t.Parallel()
	x, _ := newIndex(t, rdbtest.Search)
	x.flatBelow = 4
	var docs []search.Document
	for i := range 400 { // 20 chunks each: more than the server puts into a graph at once
		var texts []string
		for k := range 20 {
			texts = append(texts, fmt.Sprintf("number%dx%d", i, k))
		}
		docs = append(docs, source(fmt.Sprintf("f%d.go", i), texts...))
	}
	q := query("number7x7")
	q.Vector = vectorOf("number7x7", dims)
	seen := false
	for try := 0; try < 3 && !seen; try++ { // a busy client may come too late to see it
		put(t, x, search.Spec{Full: try > 0}, docs...)
		for {
			paths, n := ask(t, x, q)
			if !slices.Contains(paths, "f7.go") || n.Building || n.Partial || n.NoVector {
				t.Fatalf("found %v with the graph being built (%v): building %v, partial %v, no vectors %v", paths, n.VectorsBuilding, n.Building, n.Partial, n.NoVector)
			}
			if !n.VectorsBuilding {
				break
			}
			seen = true
			time.Sleep(10 * time.Millisecond)
		}
	}
	if !seen {
		t.Error("no answer said that the vectors were being built")
	}
	if paths, n := ask(t, x, search.Query{Vector: vectorOf("number9x9", dims), Files: 1}); !slices.Equal(paths, []string{"f9.go"}) || n.VectorsBuilding {
		t.Errorf("by vector afterwards: %v", paths)
	}
	if faults, err := x.Inspect(t.Context()); err != nil || len(faults) > 0 {
		t.Errorf("inspection: %v, %v", faults, err)
	}
}

// Without its graph a build answers by its words, says so, and the next writer has the graph built again.
func TestALostGraphOfVectorsIsBuiltAgainWhileWordsAnswer(t *testing.T) {
	t.Parallel()
	x, s := newIndex(t, rdbtest.Search)
	x.flatBelow = 4
	put(t, x, search.Spec{}, source("a.go", "one", "two", "three", "four"), source("b.go", "five"))
	rec, err := x.record(t.Context(), x.readClient, "p")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Client(t).Do(context.Background(), "FT.DROPINDEX", rec.vectorIndex()).Err(); err != nil {
		t.Fatal(err)
	}
	if faults, err := x.Inspect(t.Context()); err != nil || len(faults) != 1 || !strings.Contains(faults[0].Detail, "graph of its vectors") {
		t.Errorf("inspection: %v, %v; want the lost graph", faults, err)
	}
	if err := x.Check(t.Context(), "p"); !errors.Is(err, search.ErrVectorsLost) || errors.Is(err, search.ErrNoProject) {
		t.Errorf("check: %v", err)
	}
	q := query("five")
	q.Vector = vectorOf("five", dims)
	paths, n := ask(t, x, q)
	want(t, "by words", paths, "b.go")
	if !n.VectorsBuilding || n.Building || n.Partial || n.NoVector || n.Files[0].Cosines == nil {
		t.Errorf("an answer without the graph: %+v", n)
	}
	if paths, n = ask(t, x, search.Query{Vector: q.Vector}); len(paths) > 0 || !n.VectorsBuilding {
		t.Errorf("by vector alone: %v, %+v", paths, n)
	}
	put(t, x, search.Spec{}, source("b.go", "five", "six"))
	if got := indexKinds(t, s, s.Prefix); !slices.Equal(got, largeKinds[compact]) {
		t.Errorf("search indexes %q, want %q", got, largeKinds[compact])
	}
	want(t, "by vector", askBuilt(t, x, search.Query{Vector: vectorOf("six", dims), Files: 1}), "b.go")
	if err := x.Check(t.Context(), "p"); err != nil {
		t.Errorf("check afterwards: %v", err)
	}
}

// askBuilt is ask once the server has built the graph of the vectors.
func askBuilt(t *testing.T, x *Index, q search.Query) []string {
	t.Helper()
	for {
		paths, n := ask(t, x, q)
		if !n.VectorsBuilding {
			return paths
		}
		time.Sleep(time.Millisecond)
	}
}
