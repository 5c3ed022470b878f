//go:build !unix

package local

import (
	"io"
	"os"
)

// mapFile reads size bytes of f: a mapped file could not be removed on these systems.
func mapFile(f *os.File, size int) ([]byte, error) {
	b := make([]byte, size)
	_, err := io.ReadFull(f, b)
	return b, err
}

func unmapFile([]byte) {}
