//go:build !windows

package syserr

import "syscall"

var (
	noRoom    = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT}
	ended     = []syscall.Errno{syscall.EPIPE, syscall.ECONNRESET}
	exhausted = []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM}
	noName    = []syscall.Errno{syscall.EINVAL}
)
