package local

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/contextd/contextd/internal/search"
)

func TestProductsOfWholeNumbersAreThoseOfTheGoTwin(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	const rows = 3
	for n := 0; n <= 512; n += 16 {
		q, y := make([]int8, rows*n+1)[1:], make([]int16, n+3)[3:]
		check := func(what string) {
			t.Helper()
			want, got := make([]int32, rows), make([]int32, rows)
			for i := range want {
				want[i] = dotIntsGo(q[i*n:][:n], y)
			}
			for _, dots := range rowDots() {
				dots(q, y, got)
				if !slices.Equal(got, want) {
					t.Fatalf("%d numbers, %s: %d, want %d", n, what, got, want)
				}
			}
		}
		for range 20 {
			for i := range q {
				q[i] = int8(r.IntN(256) - 128)
			}
			for i := range y {
				y[i] = int16(r.IntN(65536) - 32768)
			}
			check("some")
		}
		for i := range q { // the extremes
			q[i] = -128
		}
		for i := range y {
			y[i] = math.MinInt16
		}
		check("all the least")
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
			product, norm := []int32{0}, search.Norm(q, scale)
			dotRows(q, f.query, product)
			if !f.passes(product[0], scale, norm, cos) {
				t.Errorf("%d dimensions: a chunk of cosine %v is turned away", n, cos)
			}
			if !f.passes(product[0], scale, norm, cos+.01) {
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
		y, out := make([]int16, benchDims), make([]int32, 1)
		for b.Loop() {
			dotRows(q, y, out)
		}
	})
}
