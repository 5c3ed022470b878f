//go:build !purego

package local

// useFilter says that dotInts is much faster than dot, so that a first look with it pays.
const useFilter = true

// dotInts is dotIntsGo with SSE2, which every amd64 has. len(q) is a multiple of 16, len(y) at least as much.
//
//go:noescape
func dotInts(q []int8, y []int16) int32
