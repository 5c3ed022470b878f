//go:build unix

package rdbtest

import "syscall"

// Pause stops the server in its tracks: connections stay open and nothing answers. Not for Docker.
func (p *Process) Pause() error { return p.cmd.Process.Signal(syscall.SIGSTOP) }

// Resume ends a Pause.
func (p *Process) Resume() error { return p.cmd.Process.Signal(syscall.SIGCONT) }
