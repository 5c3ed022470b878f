//go:build !amd64 || purego

package local

// rowDots are the ways in which this machine can make products of rows.
func rowDots() []func(q []int8, y []int16, out []int32) {
	return []func([]int8, []int16, []int32){dotRows}
}
