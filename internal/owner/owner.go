// Package owner names a process so that others can tell whether it still lives.
//
// Locks and leases carry the name of who holds them: host, boot, pid, start time, pid namespace and a random part. A
// lease whose holder is a dead process of the same host, boot and pid namespace may be taken at once, without waiting
// for its time to run out. Of any other holder nothing is known: two containers, or two machines, may have the same
// host name, and a pid means nothing in another namespace.
package owner

import (
	"crypto/rand"
	"encoding/hex"
	"os"
	"strconv"
	"strings"
	"sync"
)

// The parts of a name, separated by "|".
const (
	hostPart = iota
	bootPart
	pidPart
	startPart
	spacePart // the pid namespace
	randomPart
	parts
)

// Self is the name of this process: "host|boot|pid|start|namespace|random". It stays the same for the life of the
// process.
var Self = sync.OnceValue(func() string {
	host, _ := os.Hostname()
	var r [6]byte
	_, _ = rand.Read(r[:]) // never fails (crypto/rand)
	return strings.Join([]string{clean(host), bootID(), strconv.Itoa(os.Getpid()), ownStart(), pidSpace(), hex.EncodeToString(r[:])}, "|")
})

// Boot names the time from one start of this system to the next; "" where that is not known.
func Boot() string { return bootID() }

// Brief is a name of this process that costs less to find out: for Describe, not for Dead.
func Brief() string {
	host, _ := os.Hostname()
	return strings.Join([]string{clean(host), "", strconv.Itoa(os.Getpid()), "", "", ""}, "|")
}

// Dead reports whether name is known to be a process that no longer lives. A process of another host, boot or pid
// namespace, or one of which nothing can be found out, is not known to be dead.
func Dead(name string) bool { return deadFor(Self(), name, alive, startTime) }

// deadFor is Dead as the process self sees it.
func deadFor(self, name string, alive func(pid int) bool, startTime func(pid int) string) bool {
	s, p := strings.Split(self, "|"), strings.Split(name, "|")
	if len(p) != parts || len(s) != parts {
		return false
	}
	for _, i := range []int{hostPart, bootPart, spacePart} {
		if p[i] == "" || p[i] != s[i] {
			return false
		}
	}
	pid, err := strconv.Atoi(p[pidPart])
	if err != nil || pid <= 0 {
		return false
	}
	if !alive(pid) {
		return true
	}
	start := startTime(pid)
	return start != "" && p[startPart] != "" && start != p[startPart]
}

// Describe is name for people: "pid 123 on host". It knows names without a pid namespace, too, which older versions
// wrote.
func Describe(name string) string {
	p := strings.Split(name, "|")
	if len(p) != parts && len(p) != parts-1 {
		return "an unknown process"
	}
	return "pid " + p[pidPart] + " on " + p[hostPart]
}

func clean(s string) string { return strings.NewReplacer("|", "-", "#", "-", " ", "-").Replace(s) }

// Host is the name of this host as it stands in Self.
func Host() string { return strings.Split(Self(), "|")[hostPart] }
