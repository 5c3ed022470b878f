//go:build linux || darwin

package local

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// fileState changes whenever the content of a file does; "" where that is not known.
func fileState(f *os.File) string {
	var st unix.Stat_t
	if unix.Fstat(int(f.Fd()), &st) != nil {
		return ""
	}
	return fmt.Sprintf("%d %d %d %d", st.Ino, st.Size, st.Mtim.Nano(), st.Ctim.Nano())
}
