//go:build unix

package local

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime is the processor time of this process until now.
func cpuTime() time.Duration {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
