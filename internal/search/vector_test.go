package search_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/contextd/contextd/internal/search"
)

func unit(r *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	sum := 0.0
	for i := range v {
		v[i] = float32(r.NormFloat64())
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
	return v
}

func TestACosineOfAQuantisedVectorIsNearTheTrueOne(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 3, 4, 7, 256, 1024} {
		for range 50 {
			v, q := unit(r, n), unit(r, n)
			want := 0.0
			for i := range v {
				want += float64(v[i]) * float64(q[i])
			}
			scale, ints := search.Quantize(v)
			if got := search.Cosine(ints, scale, q); math.Abs(float64(got)-want) > 0.01 {
				t.Fatalf("%d dimensions: cosine %v, want %v", n, got, want)
			}
			if self := search.Cosine(ints, scale, v); self < 0.999 || self > 1 {
				t.Fatalf("%d dimensions: cosine with itself %v", n, self)
			}
		}
	}
}

func TestVectorsWithoutADirectionHaveCosineZero(t *testing.T) {
	t.Parallel()
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	query := []float32{1, 0}
	for _, v := range [][]float32{{0, 0}, {inf, 1}, {1, -inf}, {nan, 1}, {1, nan}} {
		scale, q := search.Quantize(v)
		if got := search.Cosine(q, scale, query); got != 0 || scale != 0 {
			t.Errorf("%v: cosine %v, scale %v", v, got, scale)
		}
	}
	scale, q := search.Quantize([]float32{1, 0})
	if got := search.Cosine(q, scale, []float32{1, 0, 0}); got != 0 {
		t.Errorf("another length: %v", got)
	}
	if scale, q := search.Quantize(nil); scale != 0 || len(q) != 0 || search.Cosine(q, scale, nil) != 0 {
		t.Errorf("no vector: %v %v", scale, q)
	}
	tiny := []float32{math.SmallestNonzeroFloat32, 0}
	scale, q = search.Quantize(tiny)
	if got := search.Cosine(q, scale, query); got != got || got < 0 || got > 1 {
		t.Errorf("the smallest number: cosine %v", got)
	}
}
