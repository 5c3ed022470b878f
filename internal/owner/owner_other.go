//go:build !linux

package owner

import "os"

func bootID() string { return "" }

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
