//go:build unix

package spool

import "syscall"

// openNonblock opens a pipe without waiting for its other end.
const openNonblock = syscall.O_NONBLOCK
