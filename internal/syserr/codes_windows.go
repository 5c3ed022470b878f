package syserr

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// The names of Unix are for what Go itself makes up.
var (
	noRoom    = []syscall.Errno{syscall.ENOSPC, windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL, windows.ERROR_DISK_QUOTA_EXCEEDED}
	ended     = []syscall.Errno{syscall.EPIPE, syscall.ECONNRESET, windows.ERROR_BROKEN_PIPE, windows.ERROR_NO_DATA, windows.WSAECONNRESET, windows.WSAECONNABORTED}
	exhausted = []syscall.Errno{syscall.EMFILE, windows.ERROR_TOO_MANY_OPEN_FILES, windows.ERROR_NOT_ENOUGH_MEMORY, windows.ERROR_OUTOFMEMORY,
		windows.ERROR_NO_SYSTEM_RESOURCES}
	noName = []syscall.Errno{syscall.EINVAL, windows.ERROR_INVALID_NAME, windows.ERROR_FILENAME_EXCED_RANGE, windows.ERROR_DIRECTORY}
)
