package local

import "math"

// cosineFilter rejects most chunks whose cosine cannot be among the best, at a tenth of the cost of dot. It compares
// them with a question rounded to whole numbers, and allows for the greatest error of the rounding.
type cosineFilter struct {
	query []int16
	unit  float32 // what 1 in query stands for
	slack float32 // more than the cosine of any chunk may differ from what the rounded question gives
}

// newCosineFilter returns nil if the filter would not save time or the question does not fit it.
func newCosineFilter(query []float32) *cosineFilter {
	n := len(query)
	if !useFilter || n == 0 || n%16 != 0 {
		return nil
	}
	top, sum, squares := 0.0, 0.0, 0.0
	for _, x := range query {
		a := math.Abs(float64(x))
		top, sum, squares = max(top, a), sum+a, squares+a*a
	}
	if !(top > 0 && squares < 1e30) {
		return nil
	}
	// No number may exceed an int16, and no sum of products with bytes an int32, whatever the order of the additions.
	steps := min(math.MaxInt16/top, (math.MaxInt32/128-float64(n))/sum)
	if steps < 1 {
		return nil
	}
	f := &cosineFilter{query: make([]int16, n), unit: float32(1 / steps)}
	for i, x := range query {
		f.query[i] = int16(math.RoundToEven(float64(x) * steps * (1 - 1e-9)))
	}
	// Each number is off by half a step at most, so a product with a chunk of length 1 by half the root of n (Cauchy
	// and Schwarz); the additions of dot in float32 add their own error.
	f.slack = float32(.51*math.Sqrt(float64(n))/steps + float64(n+64)*math.Sqrt(squares)/(1<<23))
	return f
}

// products gives, for passes, a number for each of the chunks of s from the one with number c on.
func (f *cosineFilter) products(s *segment, c uint32, out []int32) {
	if int(s.dims) == len(f.query) {
		dotRows(s.vectors(c, len(out)), f.query, out)
	}
}

// passes reports whether the cosine of a chunk may be worst or more; product is what dotRows gives for it.
func (f *cosineFilter) passes(product int32, scale, norm, worst float32) bool {
	return float32(product)*f.unit*scale+f.slack*norm >= worst*norm
}

// dotIntsGo is the scalar product of q with the first numbers of y.
func dotIntsGo(q []int8, y []int16) int32 {
	var sum int32
	for i, x := range q {
		sum += int32(x) * int32(y[i])
	}
	return sum
}
