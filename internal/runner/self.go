package runner

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// LookPath finds a program on the PATH.
func LookPath(program string) (string, error) { return exec.LookPath(program) }

// Self is the absolute path of this binary. A link by which it was started is kept: package managers move the file
// behind it with each version.
func Self() (string, error) {
	real, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this binary: %w", err)
	}
	named, err := exec.LookPath(os.Args[0])
	if err == nil {
		named, err = filepath.Abs(named)
	}
	if err != nil {
		return real, nil
	}
	a, errA := os.Stat(named)
	b, errB := os.Stat(real)
	if errA == nil && errB == nil && os.SameFile(a, b) {
		return named, nil
	}
	return real, nil
}
