package cli

import "golang.org/x/sys/unix"

// dup2 makes to another descriptor of what from is; some architectures of Linux have Dup3 only.
func dup2(from, to int) error { return unix.Dup3(from, to, 0) }
