//go:build !purego

package local

import "golang.org/x/sys/cpu"

// useFilter says that dotInts is much faster than dot, so that a first look with it pays.
const useFilter = true

var hasAVX2 = cpu.X86.HasAVX2

// dotInts is dotIntsGo with SSE2, which every amd64 has. len(q) is a multiple of 16, len(y) at least as much.
//
//go:noescape
func dotInts(q []int8, y []int16) int32

// dotRowsAVX2 is dotInts of n rows of blocks times 16 numbers, one behind the other.
//
//go:noescape
func dotRowsAVX2(rows *int8, n, blocks int, y *int16, out *int32)

// dotRows is dotInts of each row of q, of which out says how many there are, with y; len(y) is a multiple of 16.
func dotRows(q []int8, y []int16, out []int32) {
	n, dims := len(out), len(y)
	if n == 0 || dims == 0 {
		return
	}
	if q = q[:n*dims]; hasAVX2 {
		dotRowsAVX2(&q[0], n, dims/16, &y[0], &out[0])
		return
	}
	for i := range out {
		out[i] = dotInts(q[i*dims:][:dims], y)
	}
}
