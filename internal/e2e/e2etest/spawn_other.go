//go:build unix && !linux

package e2etest

import "os/exec"

// Start starts a command.
func Start(cmd *exec.Cmd) error { return cmd.Start() }
