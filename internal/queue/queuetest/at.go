package queuetest

import "path/filepath"

// At is a folder for a root: an absolute path on this system.
func At(name string) string {
	top, err := filepath.Abs("/srv")
	if err != nil {
		panic(err)
	}
	return filepath.Join(top, name)
}
