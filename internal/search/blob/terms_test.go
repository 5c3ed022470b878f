package blob_test

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search/blob"
)

func TestChunkTermsAreThoseOfTheTextOfTheWantedChunks(t *testing.T) {
	t.Parallel()
	found := 0
	for seed := range uint64(100) {
		packed := blob.EncodeFeatures(randomFile(rand.New(rand.NewPCG(seed, 4))))
		all, err := blob.DecodeFeatures(packed)
		if err != nil {
			t.Fatal(err)
		}
		want, got, marks := map[code.TermID]uint32{}, map[code.TermID]uint32{}, make([]uint32, len(all.Chunks))
		for i, c := range all.Chunks {
			if i%2 == 0 {
				continue
			}
			marks[i] = 1 << i
			for _, p := range c.Postings {
				if p.TF[code.Body]+p.TF[code.Comment] > 0 {
					want[all.Terms[p.Term]] |= 1 << i
				}
			}
		}
		if err := blob.ChunkTerms(string(packed), marks, func(id code.TermID, marks uint32) { got[id] |= marks }); err != nil {
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
		f.Add(blob.EncodeFeatures(randomFile(rand.New(rand.NewPCG(seed, 5)))))
	}
	f.Fuzz(func(t *testing.T, packed []byte) {
		for _, chunks := range []int{0, 1, 5} {
			err := blob.ChunkTerms(string(packed), make([]uint32, chunks), func(code.TermID, uint32) { t.Fatal("a term of no marked chunk") })
			if err != nil && !errors.Is(err, blob.ErrFeatures) {
				t.Fatal(err)
			}
		}
	})
}
