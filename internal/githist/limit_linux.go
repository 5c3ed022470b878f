package githist

import "golang.org/x/sys/unix"

// limitMemory bounds the address space of a process that was just started.
func limitMemory(pid int, bytes int64) error {
	n := uint64(bytes)
	return unix.Prlimit(pid, unix.RLIMIT_AS, &unix.Rlimit{Cur: n, Max: n}, nil)
}
