package code_test

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/contextd/contextd/internal/code"
)

func TestChunkTermsAreThoseOfTheTextOfTheWantedChunks(t *testing.T) {
	t.Parallel()
	found := 0
	for seed := range uint64(100) {
		blob := code.EncodeFeatures(randomFile(rand.New(rand.NewPCG(seed, 4))))
		all, err := code.DecodeFeatures(blob)
		if err != nil {
			t.Fatal(err)
		}
		odd := func(chunk int) bool { return chunk%2 == 1 }
		want, got := map[int]map[code.TermID]bool{}, map[int]map[code.TermID]bool{}
		add := func(m map[int]map[code.TermID]bool, chunk int, id code.TermID) {
			if m[chunk] == nil {
				m[chunk] = map[code.TermID]bool{}
			}
			m[chunk][id] = true
		}
		for i, c := range all.Chunks {
			for _, p := range c.Postings {
				if odd(i) && p.TF[code.Body]+p.TF[code.Comment] > 0 {
					add(want, i, all.Terms[p.Term])
				}
			}
		}
		if err := code.ChunkTerms(string(blob), odd, func(chunk int, id code.TermID) { add(got, chunk, id) }); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
		found += len(got)
	}
	if found < 50 {
		t.Errorf("%d chunks only: the test tells nothing", found)
	}
}

func FuzzChunkTerms(f *testing.F) {
	for seed := range uint64(5) {
		f.Add(code.EncodeFeatures(randomFile(rand.New(rand.NewPCG(seed, 5)))))
	}
	f.Fuzz(func(t *testing.T, blob []byte) {
		err := code.ChunkTerms(string(blob), func(int) bool { return true }, func(int, code.TermID) {})
		if err != nil && !errors.Is(err, code.ErrFeatures) {
			t.Fatal(err)
		}
	})
}
