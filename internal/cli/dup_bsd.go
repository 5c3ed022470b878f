//go:build unix && !linux

package cli

import "golang.org/x/sys/unix"

// dup2 makes to another descriptor of what from is.
func dup2(from, to int) error { return unix.Dup2(from, to) }
