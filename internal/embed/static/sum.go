package static

import (
	"encoding/binary"
	"math"
)

// term is a word of a text.
type term struct {
	row, count uint32
}

// weightSum is the sum to which the weights of a text are brought before they are rounded to whole numbers. With it no
// lane overflows: 2^24 times the greatest biased code, 255, is below 2^32, and rounding adds at most 2^15.
const weightSum = 1<<24 - 1<<16

// sum writes the unit vector of the terms, each row at most once; zeros where there is none.
//
// It works on whole numbers, two lanes of 32 bits to a word, which is twice as fast as floats without vector
// instructions and exact: codes are biased by 128 to be positive, weights are scaled to weightSum, and the bias goes
// out at the end. Products are kept from being fused with sums so that all processors round alike.
func sum(t table, terms []term, to *[Dims]float32) {
	total := 0.0
	for _, w := range terms {
		total += weight(t, w)
	}
	*to = [Dims]float32{}
	if !(total > 0) {
		return
	}
	var lanes [Dims / 2]uint64
	unit, bias := weightSum/total, uint64(0)
	for len(terms) > 0 { // by twos: that halves the traffic to the lanes
		a, b := terms[0], term{row: terms[0].row}
		if len(terms) > 1 {
			b = terms[1]
		}
		q, r := uint64(float64(weight(t, a)*unit)+.5), uint64(float64(weight(t, b)*unit)+.5)
		bias += q + r
		accumulate(&lanes, t.row(a.row), t.row(b.row), q, r)
		terms = terms[min(2, len(terms)):]
	}
	bias *= 128
	var values [Dims]float64
	square := 0.0
	for i, x := range lanes {
		at := i/4*8 + i%4
		values[at], values[at+4] = float64(int64(x&math.MaxUint32)-int64(bias)), float64(int64(x>>32)-int64(bias))
		square += float64(values[at]*values[at]) + float64(values[at+4]*values[at+4])
	}
	if square == 0 {
		return
	}
	length := 1 / math.Sqrt(square)
	for i, v := range values {
		to[i] = float32(v * length)
	}
}

func weight(t table, w term) float64 { return float64(math.Sqrt(float64(w.count)) * t.scale(w.row)) }

// accumulate adds q times the biased codes of row a and r times those of row b. Bytes i and i+4 of each 8 share a word.
func accumulate(lanes *[Dims / 2]uint64, a, b *[Dims]byte, q, r uint64) {
	const mask, flip = 0x000000ff_000000ff, 0x80808080_80808080
	for i := 0; i < Dims/8; i++ {
		x := binary.LittleEndian.Uint64(a[8*i:8*i+8]) ^ flip
		y := binary.LittleEndian.Uint64(b[8*i:8*i+8]) ^ flip
		to := (*[4]uint64)(lanes[4*i : 4*i+4])
		to[0] += (x&mask)*q + (y&mask)*r
		to[1] += (x>>8&mask)*q + (y>>8&mask)*r
		to[2] += (x>>16&mask)*q + (y>>16&mask)*r
		to[3] += (x>>24&mask)*q + (y>>24&mask)*r
	}
}

// mean makes a the unit vector between a and b; a zero vector has no say.
func mean(a, b *[Dims]float32) {
	square := 0.0
	var values [Dims]float64
	for i := range a {
		values[i] = float64(a[i]) + float64(b[i])
		square += float64(values[i] * values[i])
	}
	if square < 1e-12 { // none known, or opposites
		return
	}
	length := 1 / math.Sqrt(square)
	for i := range a {
		a[i] = float32(values[i] * length)
	}
}
