// Package statedir makes the state directory and replaces files in it.
//
// The directory holds what contextd keeps on this machine (package backend lists it); its owner alone may read it.
// Whatever is replaced in it is written beside and renamed, so that other processes read the old text or the new one,
// never a part.
package statedir

import (
	"fmt"
	"io"
	"os"

	"github.com/contextd/contextd/internal/syserr"
)

// Make makes the state directory, mode 0700, unless it is there.
func Make(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make state directory %q: %w", dir, syserr.Cause(err))
	}
	return nil
}

// Replace replaces a file in one step. One process writes a path at a time.
func Replace(path string, data []byte) error {
	tmp := path + ".new"
	if err := os.WriteFile(tmp, data, 0o600); err != nil {
		return err
	}
	return Rename(tmp, path)
}

// Open opens a file to read that may be replaced or removed meanwhile.
func Open(path string) (*os.File, error) { return OpenFile(path, os.O_RDONLY) }

// ReadFile reads a file that may be replaced or removed meanwhile.
func ReadFile(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}
