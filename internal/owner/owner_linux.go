package owner

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
)

func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// startTime is the process's start in clock ticks since boot, "" if it cannot be read. A zombie holds nothing any more:
// its start is "gone", which equals no other.
func startTime(pid int) string {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	// The fields after the command's name, which may hold anything, ")" too.
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(f) < 20 || f[0] == "Z" {
		return "gone"
	}
	return f[19]
}

func alive(pid int) bool { return syscall.Kill(pid, 0) != syscall.ESRCH }
