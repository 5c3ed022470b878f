//go:build unix && !linux

package e2etest

import (
	"errors"
	"os/exec"
)

// Start starts a command.
func Start(cmd *exec.Cmd) error { return cmd.Start() }

func isolate(*exec.Cmd) error { return errors.New("make a pid namespace: not on this system") }
