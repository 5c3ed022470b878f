//go:build !windows

package statedir

import "os"

// OpenFile opens a file that is there and may be replaced or removed meanwhile.
func OpenFile(path string, flag int) (*os.File, error) { return os.OpenFile(path, flag, 0) }

// Rename puts the file from in the place of the file to, which lies in the same folder and may be open.
func Rename(from, to string) error { return os.Rename(from, to) }
