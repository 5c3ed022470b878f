//go:build !amd64 || purego

package local

const useFilter = false

func dotInts(q []int8, y []int16) int32 { return dotIntsGo(q, y) }
