package rdbtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// Set is a master with a replica, watched by a Sentinel that makes the replica the master once the master is gone for
// half a second.
type Set struct {
	URL             string // redis+sentinel://
	Prefix          string
	Master, Replica *Server
	sentinel        *Process
}

// masterName is what the Sentinel calls the master of a Set.
const masterName = "harbour"

// Watched starts a Set. The Sentinel is one server in another mode; beside it the URL names one that does not answer.
func Watched(t testing.TB, kind Kind) *Set {
	t.Helper()
	prog, err := Find(kind)
	if err == nil && prog.Docker {
		t.Skip("SKIPPED, NOT TESTED: servers in containers do not reach each other on loopback")
	}
	// A replica that asks while the master makes its first snapshot waits 5 s for others by default.
	args := []string{"--repl-diskless-sync-delay", "0"}
	s := &Set{Master: Own(t, kind, args...)}
	_, port, _ := strings.Cut(strings.TrimPrefix(s.Master.URL, "redis://"), ":")
	s.Replica = Own(t, kind, append(args, "--replicaof", "127.0.0.1", port)...)
	s.Prefix = s.Master.Prefix
	s.linked(t)
	dir := t.TempDir()
	conf := filepath.Join(dir, "sentinel.conf")
	text := fmt.Sprintf("sentinel monitor %[1]s 127.0.0.1 %[2]s 1\nsentinel down-after-milliseconds %[1]s 500\nsentinel failover-timeout %[1]s 5000\n", masterName, port)
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if s.sentinel, err = launchSentinel(Program{Argv: prog.Argv[:1]}, dir, conf); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.sentinel.Kill)
	dead, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	s.URL = fmt.Sprintf("redis+sentinel://127.0.0.1:%d,127.0.0.1:%d/%s", dead, s.sentinel.port, masterName)
	s.sentinelKnows(t)
	return s
}

// Failover kills the master and returns when the Sentinel names the replica in its place.
func (s *Set) Failover(t testing.TB) {
	t.Helper()
	s.Master.Kill(t)
	s.sentinelSays(t, func(c *redis.SentinelClient) bool {
		addr, err := c.GetMasterAddrByName(t.Context(), masterName).Result()
		return err == nil && strings.HasSuffix(s.Replica.URL, ":"+addr[1])
	})
}

// Replicated returns when the replica holds all that the master has confirmed up to now.
func (s *Set) Replicated(t testing.TB) {
	t.Helper()
	c := s.Master.Client(t).Conn()
	defer c.Close()
	if err := c.Set(t.Context(), s.Prefix+":wait", 1, 0).Err(); err != nil {
		// WAIT is about the writes of its connection
		t.Fatal(err)
	}
	if n, err := c.Wait(t.Context(), 1, 20*time.Second).Result(); err != nil || n != 1 {
		t.Fatalf("WAIT 1: %d replicas, %v", n, err)
	}
}

// linked returns when the replica has the master's data.
func (s *Set) linked(t testing.TB) {
	t.Helper()
	c := s.Replica.Client(t)
	until(t, "the replica is in step", func() bool {
		info, err := c.Info(t.Context(), "replication").Result()
		return err == nil && strings.Contains(info, "master_link_status:up")
	})
}

// sentinelKnows returns when the Sentinel has seen the replica.
func (s *Set) sentinelKnows(t testing.TB) {
	t.Helper()
	s.sentinelSays(t, func(c *redis.SentinelClient) bool {
		known, err := c.Replicas(t.Context(), masterName).Result()
		return err == nil && len(known) == 1 && known[0]["flags"] == "slave" && known[0]["master-link-status"] == "ok"
	})
}

func (s *Set) sentinelSays(t testing.TB, f func(*redis.SentinelClient) bool) {
	t.Helper()
	c := redis.NewSentinelClient(&redis.Options{Addr: fmt.Sprintf("127.0.0.1:%d", s.sentinel.port), Protocol: 2,
		DisableIdentity: true})
	defer c.Close()
	until(t, "the Sentinel knows it", func() bool { return f(c) })
}

func until(t testing.TB, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(60 * time.Second); !f(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

// launchSentinel starts a server as a Sentinel with a file of settings, which it rewrites.
func launchSentinel(prog Program, dir, conf string) (*Process, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	p := &Process{URL: fmt.Sprintf("redis://127.0.0.1:%d", port), port: port, dir: dir, prog: prog}
	argv := []string{prog.Argv[0], conf, "--port", fmt.Sprint(port), "--bind", "127.0.0.1", "--dir", dir, "--sentinel"}
	return p, p.start(argv)
}
