// Package linefile appends to files of lines that several processes write: under a lock that lies beside the file, and
// so that a line which a killed process left half written spoils no other.
package linefile

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// Lock makes this process and goroutine the only one that holds the lock file path, which it makes. It gives up with
// ctx.
func Lock(ctx context.Context, path string) (unlock func(), err error) {
	l := flock.New(path, flock.SetPermissions(0o600))
	if ok, err := l.TryLockContext(ctx, time.Millisecond); !ok {
		return nil, err
	}
	return func() { _ = l.Unlock() }, nil
}

// Open opens a file for Append, and makes it if there is none.
func Open(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
}

// Append writes lines, each with its end, in one write, and returns how large the file was before. A last line without
// an end, of a process that died in its midst, is ended first. It requires the lock.
func Append(f *os.File, lines []byte) (before int64, err error) {
	before, err = f.Seek(0, io.SeekEnd)
	if err != nil {
		return before, err
	}
	if before > 0 {
		var last [1]byte
		if _, err := f.ReadAt(last[:], before-1); err != nil {
			return before, err
		}
		if last[0] != '\n' {
			lines = append([]byte{'\n'}, lines...)
		}
	}
	_, err = f.Write(lines)
	return before, err
}
