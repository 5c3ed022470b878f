//go:build !purego

package local

// rowDots are the ways in which this machine can make products of rows.
func rowDots() []func(q []int8, y []int16, out []int32) {
	sse2 := func(q []int8, y []int16, out []int32) {
		for i := range out {
			out[i] = dotInts(q[i*len(y):][:len(y)], y)
		}
	}
	return []func([]int8, []int16, []int32){dotRows, sse2}
}
