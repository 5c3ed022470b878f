//go:build !windows

package statedir

import "os"

// Open opens a file to read that may be replaced or removed meanwhile.
func Open(path string) (*os.File, error) { return os.Open(path) }

// Rename puts the file from in the place of the file to, which lies in the same folder and may be open.
func Rename(from, to string) error { return os.Rename(from, to) }
