// Package owner names a process so that others can tell whether it still lives.
//
// Locks and leases carry the name of who holds them: host, boot, pid, start time and a random part. A lease whose holder
// is a dead process of the same host and boot may be taken at once, without waiting for its time to run out.
package owner

import (
	"crypto/rand"
	"encoding/hex"
	"os"
	"strconv"
	"strings"
	"sync"
)

// Self is the name of this process: "host|boot|pid|start|random". It stays the same for the life of the process.
var Self = sync.OnceValue(func() string {
	host, _ := os.Hostname()
	var r [6]byte
	_, _ = rand.Read(r[:]) // never fails (crypto/rand)
	pid := os.Getpid()
	return strings.Join([]string{clean(host), bootID(), strconv.Itoa(pid), startTime(pid), hex.EncodeToString(r[:])}, "|")
})

// Brief is a name of this process that costs less to find out: for Describe, not for Dead.
func Brief() string {
	host, _ := os.Hostname()
	return strings.Join([]string{clean(host), "", strconv.Itoa(os.Getpid()), "", ""}, "|")
}

// Dead reports whether name is known to be a process that no longer lives. A process of another host, or one of which
// nothing can be found out, is not known to be dead.
func Dead(name string) bool {
	p := strings.Split(name, "|")
	self := strings.Split(Self(), "|")
	if len(p) != 5 || p[0] != self[0] {
		return false
	}
	if p[1] != self[1] {
		return p[1] != "" && self[1] != "" // the host has been started anew since
	}
	pid, err := strconv.Atoi(p[2])
	if err != nil || pid <= 0 {
		return false
	}
	if !alive(pid) {
		return true
	}
	start := startTime(pid)
	return start != "" && p[3] != "" && start != p[3]
}

// Describe is name for people: "pid 123 on host".
func Describe(name string) string {
	p := strings.Split(name, "|")
	if len(p) != 5 {
		return "an unknown process"
	}
	return "pid " + p[2] + " on " + p[0]
}

func clean(s string) string { return strings.ReplaceAll(s, "|", "-") }

// Host is the name of this host as it stands in Self.
func Host() string { return strings.Split(Self(), "|")[0] }
