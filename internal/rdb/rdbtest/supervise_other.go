//go:build !linux

package rdbtest

import (
	"os"
	"os/exec"
)

func supervise(cmd *exec.Cmd, started chan<- error, done chan<- struct{}, log *os.File) {
	defer log.Close()
	defer close(done)
	err := cmd.Start()
	started <- err
	if err == nil {
		_ = cmd.Wait()
	}
}
