package local

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/contextd/contextd/internal/search"
)

func TestProductsOfWholeNumbersAreThoseOfTheGoTwin(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for n := 0; n <= 512; n += 16 {
		q, y := make([]int8, n), make([]int16, n+3)
		for range 20 {
			for i := range q {
				q[i], y[i] = int8(r.IntN(256)-128), int16(r.IntN(65536)-32768)
			}
			if got, want := dotInts(q, y), dotIntsGo(q, y); got != want {
				t.Fatalf("%d numbers: %d, want %d", n, got, want)
			}
		}
		for i := range q { // the extremes
			q[i], y[i] = -128, math.MinInt16
		}
		if got, want := dotInts(q, y), dotIntsGo(q, y); got != want {
			t.Fatalf("%d numbers, all the least: %d, want %d", n, got, want)
		}
	}
}

// A vector that the filter turns away has a cosine below the bound, for vectors near and far, long and short.
func TestTheFilterTurnsAwayNothingThatIsAmongTheBest(t *testing.T) {
	t.Parallel()
	if !useFilter {
		t.Log("this machine compares without a filter")
	}
	r := rand.New(rand.NewPCG(3, 4))
	turned := 0
	for _, n := range []int{16, 64, 256, 1024} {
		for range 200 {
			query, v := make([]float32, n), make([]float32, n)
			near, spike := r.Float32(), r.IntN(n)
			for i := range query {
				query[i] = float32(r.NormFloat64())
				v[i] = near*query[i] + (1-near)*float32(r.NormFloat64())
			}
			if near > .7 {
				query[spike] *= 40
			}
			length := float32(0)
			for _, x := range query {
				length += x * x
			}
			length = float32(math.Sqrt(float64(length)))
			for i := range query {
				query[i] /= length
			}
			f := newCosineFilter(query)
			if f == nil {
				if useFilter {
					t.Fatalf("no filter for %d dimensions", n)
				}
				return
			}
			scale, q := search.Quantize(v)
			cos := dot(q, scale, query) / search.Norm(q, scale)
			if !f.passes(q, scale, search.Norm(q, scale), cos) {
				t.Errorf("%d dimensions: a chunk of cosine %v is turned away", n, cos)
			}
			if !f.passes(q, scale, search.Norm(q, scale), cos+.01) {
				turned++
			}
		}
	}
	if turned < 700 {
		t.Errorf("%d of 800 chunks below the bound are turned away: the filter is too timid", turned)
	}
}

func TestAQuestionThatDoesNotFitIsComparedWithoutAFilter(t *testing.T) {
	t.Parallel()
	inf := float32(math.Inf(1))
	for name, query := range map[string][]float32{"empty": nil, "odd": make([]float32, 17), "zero": make([]float32, 16),
		"infinite": append(make([]float32, 15), inf), "no number": append(make([]float32, 15), inf-inf)} {
		if newCosineFilter(query) != nil {
			t.Errorf("%s: a filter", name)
		}
	}
}

func BenchmarkDot(b *testing.B) {
	q, query := make([]int8, benchDims), make([]float32, benchDims)
	for i := range q {
		q[i], query[i] = int8(i*7), float32(i)/(benchDims*100)
	}
	b.Run("exact", func(b *testing.B) {
		for b.Loop() {
			dot(q, 1, query)
		}
	})
	b.Run("whole numbers", func(b *testing.B) {
		y := make([]int16, benchDims)
		for b.Loop() {
			dotInts(q, y)
		}
	})
}
