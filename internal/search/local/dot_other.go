//go:build !amd64 || purego

package local

const useFilter = false

// dotRows is the scalar product of each row of q, of which out says how many there are, with y.
func dotRows(q []int8, y []int16, out []int32) {
	for i := range out {
		out[i] = dotIntsGo(q[i*len(y):][:len(y)], y)
	}
}
