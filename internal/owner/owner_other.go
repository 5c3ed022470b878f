//go:build !linux

package owner

import "os"

// pidSpace is the same for all: these systems have one space of pids.
func pidSpace() string { return "0" }

func ownStart() string { return "" }

func startTime(int) string { return "" }

// alive errs on the side of life: os.FindProcess fails for a dead process on Windows and never elsewhere.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	_ = p.Release()
	return true
}
