package search

import (
	"math"
	"slices"
)

// Quantize turns a vector into whole numbers of -127…127 and the scale that turns them back: v[i] ≈ scale × q[i]. Both
// backings store vectors so, at a quarter of the size, and compute the same cosines from them. Without a number other
// than 0 (or with one that is no finite number) the scale is 0.
func Quantize(v []float32) (scale float32, q []int8) {
	return QuantizeInto(make([]int8, len(v)), v)
}

// QuantizeInto is like Quantize but writes into q, which has the length of v.
func QuantizeInto(q []int8, v []float32) (float32, []int8) {
	var top float32
	for _, x := range v {
		if x < 0 {
			x = -x
		}
		if !(x <= math.MaxFloat32) { // infinite, or not a number
			clear(q)
			return 0, q
		}
		top = max(top, x)
	}
	if top == 0 {
		clear(q)
		return 0, q
	}
	inv := 127 / float64(top)
	for i, x := range v {
		q[i] = int8(math.RoundToEven(float64(x) * inv))
	}
	return top / 127, q
}

// Norm returns the length of the vector that q and scale encode.
func Norm(q []int8, scale float32) float32 {
	var sum int32 // at most 127² × 133,000 dimensions
	for _, x := range q {
		sum += int32(x) * int32(x)
	}
	return scale * float32(math.Sqrt(float64(sum)))
}

// Dot is the scalar product of a quantised vector with a query; 0 where their lengths differ.
func Dot(q []int8, scale float32, query []float32) float32 {
	if len(q) != len(query) {
		return 0
	}
	// Four sums: the additions of one do not wait for each other.
	var a, b, c, d float32
	i := 0
	for ; i+4 <= len(q); i += 4 {
		x, y := q[i:i+4:i+4], query[i:i+4:i+4]
		a += float32(x[0]) * y[0]
		b += float32(x[1]) * y[1]
		c += float32(x[2]) * y[2]
		d += float32(x[3]) * y[3]
	}
	for ; i < len(q); i++ {
		a += float32(q[i]) * query[i]
	}
	return ((a + b) + (c + d)) * scale
}

// Cosine is the cosine of a quantised vector with a unit query; 0 for a zero vector or where the lengths differ.
func Cosine(q []int8, scale float32, query []float32) float32 {
	n := Norm(q, scale)
	if n == 0 {
		return 0
	}
	return min(1, max(-1, Dot(q, scale, query)/n))
}

// IsZero reports whether a vector is zero, or none: it has no direction, so no cosine.
func IsZero(v []float32) bool { return !slices.ContainsFunc(v, func(x float32) bool { return x != 0 }) }
