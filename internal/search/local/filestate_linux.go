package local

import (
	"fmt"
	"os"
	"syscall"
)

// fileState changes whenever the content of a file does; "" where that is not known.
func fileState(info os.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d %d %d %d", st.Ino, st.Size, st.Mtim.Nano(), st.Ctim.Nano())
}
