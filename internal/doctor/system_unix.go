//go:build unix

package doctor

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

func writable(dir string) bool { return unix.Access(dir, unix.W_OK|unix.X_OK) == nil }

// private reports whether only the owner may read.
func private(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 == 0 }
