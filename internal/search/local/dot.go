package local

import "github.com/contextd/contextd/internal/search"

// int8Floats holds the float32 of each int8, by its bits: a lookup takes 60 % of the time of a conversion.
var int8Floats = func() (t [256]float32) {
	for i := range t {
		t[i] = float32(int8(i))
	}
	return t
}()

// dot is search.Dot, with the same additions in the same order, for vectors whose length is a multiple of 8; others
// take search.Dot itself.
func dot(q []int8, scale float32, query []float32) float32 {
	if len(q) != len(query) || len(q)&7 != 0 {
		return search.Dot(q, scale, query)
	}
	var a, b, c, d float32
	for len(q) >= 8 && len(query) >= 8 {
		x, y := (*[8]int8)(q), (*[8]float32)(query) // no bounds to check below
		a += int8Floats[uint8(x[0])] * y[0]
		b += int8Floats[uint8(x[1])] * y[1]
		c += int8Floats[uint8(x[2])] * y[2]
		d += int8Floats[uint8(x[3])] * y[3]
		a += int8Floats[uint8(x[4])] * y[4]
		b += int8Floats[uint8(x[5])] * y[5]
		c += int8Floats[uint8(x[6])] * y[6]
		d += int8Floats[uint8(x[7])] * y[7]
		q, query = q[8:], query[8:]
	}
	return ((a + b) + (c + d)) * scale
}
