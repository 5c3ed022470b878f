//go:build unix

package local

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps size bytes of f for reading. The mapping outlives f.
func mapFile(f *os.File, size int) ([]byte, error) {
	return unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
}

func unmapFile(b []byte) { _ = unix.Munmap(b) }
