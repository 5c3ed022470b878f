//go:build unix && !linux

package e2etest

import "os/exec"

func start(cmd *exec.Cmd) error { return cmd.Start() }
