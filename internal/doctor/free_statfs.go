//go:build linux || darwin

package doctor

import "golang.org/x/sys/unix"

func freeBytes(dir string) (uint64, bool) {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return 0, false
	}
	return s.Bavail * uint64(s.Bsize), true
}
