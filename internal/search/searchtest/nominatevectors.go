package searchtest

import (
	"math"
	"slices"
	"testing"

	"github.com/contextd/contextd/internal/search"
)

func byVector(t *testing.T, s *store) {
	s.put(harbour()...)
	for _, d := range harbour() {
		for i := range d.Vectors {
			s.finds("its own vector", search.Query{Vector: d.Vectors[i], Files: 1}, d.Entry.Path)
		}
	}
	if got := len(s.nominate(search.Query{Vector: vectorOf("x")}).Files); got != len(harbour()) {
		t.Errorf("a vector nominates %d of %d files of a small project", got, len(harbour()))
	}
}

func near(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-4 }

func cosines(t *testing.T, s *store) {
	docs := harbour()
	clear(docs[2].Vectors[1]) // a chunk without a known word
	s.put(docs...)
	query := vectorOf("what is near")
	n := s.nominate(search.Query{Vector: query, Words: words("rate")})
	for _, c := range n.Files {
		d := docs[slices.IndexFunc(docs, func(d search.Document) bool { return d.Entry.Path == c.Entry.Path })]
		if len(c.Cosines) != len(d.Vectors) {
			t.Errorf("%q has %d cosines for %d chunks", c.Entry.Path, len(c.Cosines), len(d.Vectors))
			continue
		}
		for i, v := range d.Vectors {
			scale, q := search.Quantize(v)
			if want := search.Cosine(q, scale, query); !near(c.Cosines[i], want) {
				t.Errorf("%q, chunk %d: cosine %g, want %g", c.Entry.Path, i, c.Cosines[i], want)
			}
		}
	}
	for _, c := range s.nominate(search.Query{Words: words("rate")}).Files {
		if c.Cosines != nil {
			t.Errorf("without a vector %q has cosines %v", c.Entry.Path, c.Cosines)
		}
	}
}

func noVector(t *testing.T, s *store) {
	s.put(harbour()...)
	check := func(what string, v []float32, want bool) {
		t.Helper()
		n := s.nominate(search.Query{Words: words("oil"), Vector: v})
		if n.NoVector != want || len(paths(n)) == 0 {
			t.Errorf("%s: NoVector %v, want %v, with %d files", what, n.NoVector, want, len(n.Files))
		}
	}
	check("a fitting vector", vectorOf("x"), false)
	check("no vector", nil, false)
	check("a longer vector", append(vectorOf("x"), 0), true)
	check("a shorter vector", vectorOf("x")[1:], true)

	sp := spec()
	sp.Model = search.Model{Embedder: "none", Analyzer: 1}
	d := Doc("x.go", "go", "oil")
	d.Vectors = nil
	s.change(sp, []search.Document{d})
	check("a project without vectors", vectorOf("x"), true)
	check("no vector in a project without", nil, false)
}

func zeroVector(t *testing.T, s *store) {
	s.put(harbour()...)
	s.finds("a zero vector", search.Query{Words: words("oil"), Vector: make([]float32, dims)}, "lamp/keeper.rs")
	if n := s.nominate(search.Query{Vector: make([]float32, dims)}); n.NoVector || len(n.Files) != 0 {
		t.Errorf("a zero vector alone gives %+v", n)
	}
}
