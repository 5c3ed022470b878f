package rdbtest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/rdb"
)

// Server is a Redis server for one test.
type Server struct {
	URL    string
	Prefix string // of every key that the test writes, unlike that of any other test
	proc   *Process
}

// Start gives a server of a kind: that of REDIS_URL if kind is Search and it is set, else one of its own. The test must
// keep to Prefix and may not use Kill, Restart and Pause.
func Start(t testing.TB, kind Kind) *Server {
	t.Helper()
	url := os.Getenv("REDIS_URL")
	if kind != Search || url == "" {
		return Own(t, kind)
	}
	s := &Server{URL: url, Prefix: prefix()}
	t.Cleanup(func() { s.sweep(t) })
	s.check(t, kind)
	return s
}

// Own starts a private server with further settings such as "--requirepass", "secret". It ends with the test.
func Own(t testing.TB, kind Kind, args ...string) *Server {
	t.Helper()
	prog, err := Find(kind)
	if errors.Is(err, ErrNone) {
		if os.Getenv("CONTEXTD_REQUIRE_REDIS") == "1" {
			t.Fatal(err)
		}
		t.Skipf("SKIPPED, NOT TESTED: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	proc, err := Launch(prog, t.TempDir(), args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proc.Kill)
	s := &Server{URL: proc.URL, Prefix: prefix(), proc: proc}
	if len(args) == 0 {
		s.check(t, kind)
	}
	return s
}

// Client is a worker's client for the server; it closes with the test.
func (s *Server) Client(t testing.TB) *redis.Client {
	t.Helper()
	c, err := rdb.Worker(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// Kill ends the server at once, as a crash does.
func (s *Server) Kill(t testing.TB) { t.Helper(); s.own(t).Kill() }

// Restart starts a killed server again with the same port and data.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	if err := s.own(t).Restart(); err != nil {
		t.Fatal(err)
	}
}

// Pause makes the server hang until Resume, connections open.
func (s *Server) Pause(t testing.TB) {
	t.Helper()
	if err := s.own(t).Pause(); err != nil {
		t.Fatal(err)
	}
}

// Resume ends a Pause.
func (s *Server) Resume(t testing.TB) {
	t.Helper()
	if err := s.own(t).Resume(); err != nil {
		t.Fatal(err)
	}
}

func (s *Server) own(t testing.TB) *Process {
	t.Helper()
	if s.proc == nil {
		t.Fatal("a test that breaks its server must take one from rdbtest.Own")
	}
	return s.proc
}

// check fails the test if the server is not of its kind.
func (s *Server) check(t testing.TB, kind Kind) {
	t.Helper()
	has, err := HasSearch(context.Background(), s.Client(t))
	if err != nil {
		t.Fatalf("ask the Redis server whether it has RediSearch: %v", err)
	}
	if has != (kind == Search) {
		t.Fatalf("want a Redis server of kind %q, found one with RediSearch=%v", kind, has)
	}
}

// sweep removes what a test left on a shared server.
func (s *Server) sweep(t testing.TB) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	c, err := rdb.Worker(s.URL)
	if err != nil {
		t.Error(err)
		return
	}
	defer c.Close()
	indexes, _ := c.Do(ctx, "FT._LIST").StringSlice()
	for _, name := range indexes {
		if strings.HasPrefix(name, s.Prefix+":") {
			_ = c.Do(ctx, "FT.DROPINDEX", name).Err()
		}
	}
	for it := c.Scan(ctx, 0, s.Prefix+":*", 1000).Iterator(); it.Next(ctx); {
		_ = c.Unlink(ctx, it.Val()).Err()
	}
}

func prefix() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return "test" + hex.EncodeToString(b[:])
}
