//go:build unix

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// takeStdout is a file of its own for what is standard output, whose descriptor leads to standard error from then on.
func takeStdout() (*os.File, error) {
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	if err := dup2(2, 1); err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), "stdout"), nil
}
