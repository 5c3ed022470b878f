//go:build !amd64 || purego

package local

const filtered = false

func dotInts(q []int8, y []int16) int32 { return dotIntsGo(q, y) }
