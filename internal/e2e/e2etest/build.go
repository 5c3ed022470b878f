//go:build unix

package e2etest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Build compiles both commands into dir, for the race detector if that is wanted.
func Build(dir string, race bool, flags ...string) error {
	top, err := moduleRoot()
	if err != nil {
		return err
	}
	argv := []string{"build", "-o", dir + string(filepath.Separator)}
	if race {
		argv = append(argv, "-race")
	}
	cmd := exec.Command("go", append(append(argv, flags...), "./cmd/indexer", "./cmd/retriever")...)
	cmd.Dir = top
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the commands: %w: %s", err, bytes.TrimSpace(out))
	}
	return nil
}

// moduleRoot is the folder of go.mod above the working directory.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("find the module: no go.mod above the working directory")
		}
		dir = up
	}
}
