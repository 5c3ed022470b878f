//go:build !linux

package githist

// limitMemory does nothing: only Linux lets the memory of another process be bounded.
func limitMemory(int, int64) error { return nil }
