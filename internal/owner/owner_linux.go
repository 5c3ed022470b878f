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

// pidSpace is the number of this process's pid namespace, "" if it cannot be read. The kernel may give the number of a
// namespace that has ended to a new one: whoever lived in the first is dead then, as its pid and start time will tell.
func pidSpace() string {
	name, err := os.Readlink("/proc/self/ns/pid") // "pid:[4026531836]"
	if err != nil {
		return ""
	}
	return strings.Trim(strings.TrimPrefix(name, "pid:"), "[]")
}

// ownStart is the start time of this process, also where /proc shows another pid namespace.
func ownStart() string { return startIn("/proc/self/stat") }

// startTime is the process's start in clock ticks since boot, "" if it cannot be read. A zombie holds nothing any more:
// its start is "gone", which equals no other.
func startTime(pid int) string {
	// A /proc that was mounted outside of this pid namespace gives other processes the number pid.
	if self, err := os.Readlink("/proc/self"); err != nil || self != strconv.Itoa(os.Getpid()) {
		return ""
	}
	return startIn("/proc/" + strconv.Itoa(pid) + "/stat")
}

func startIn(path string) string {
	b, err := os.ReadFile(path)
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
