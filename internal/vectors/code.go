package vectors

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/contextd/contextd/internal/search"
)

const (
	keep     = 30 * 24 * time.Hour // after its last use
	overhead = 120                 // bytes that a vector takes beside its numbers
)

// encode is a vector as indexes score it (search.Quantize): the scale as a 32-bit float, then a byte for each number.
func encode(v []float32) []byte {
	scale, q := search.Quantize(v)
	b := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+len(q)), math.Float32bits(scale))
	for _, x := range q {
		b = append(b, byte(x))
	}
	return b
}

// decode reads what encode wrote; nil if it is none.
func decode(b []byte) []float32 {
	if len(b) < 5 {
		return nil
	}
	scale := math.Float32frombits(binary.LittleEndian.Uint32(b))
	if !(scale >= 0 && scale <= 1) { // of a unit vector
		return nil
	}
	v := make([]float32, len(b)-4)
	for i, x := range b[4:] {
		v[i] = scale * float32(int8(x))
	}
	return v
}
