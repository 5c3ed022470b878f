package rdb_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

// TestClientsFollowTheSentinelsToTheNewMaster: after the master was killed every client works again by itself, and what
// was replicated is there.
func TestClientsFollowTheSentinelsToTheNewMaster(t *testing.T) {
	t.Parallel()
	s := rdbtest.Watched(t, rdbtest.Plain)
	ctx := t.Context()
	clients := map[string]*redis.Client{}
	for name, open := range map[string]func(string) (*redis.Client, error){
		"worker": rdb.Worker, "blocking": rdb.Blocking,
		"interactive": func(url string) (*redis.Client, error) { return rdb.Interactive(url, 2*time.Second) },
	} {
		c, err := open(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		clients[name] = c
		if err := c.Set(ctx, s.Prefix+":"+name, "before", 0).Err(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	s.Replicated(t)
	s.Failover(t)
	for name, c := range clients {
		var err error
		for range 100 { // a connection that was in use may fail once or more
			if err = c.Set(ctx, s.Prefix+":after", name, 0).Err(); err == nil {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		if v := c.Get(ctx, s.Prefix+":"+name).Val(); err != nil || v != "before" {
			t.Errorf("%s after the failover: %q, %v", name, v, err)
		}
	}
}

// TestSentinelsThatDoNotHelpAreNamed: a master they do not know is no missing key.
func TestSentinelsThatDoNotHelpAreNamed(t *testing.T) {
	t.Parallel()
	s := rdbtest.Watched(t, rdbtest.Plain)
	plain := rdbtest.Own(t, rdbtest.Plain)
	for name, tc := range map[string]struct{ url, want, hint string }{
		"unknown master": {strings.Replace(s.URL, "/harbour", "/haven", 1), `no master "haven"`, "sentinel monitor"},
		"nobody answers": {"redis+sentinel://127.0.0.1:1/harbour", "127.0.0.1:1", "26379"},
		"no Sentinel": {strings.Replace(plain.URL, "redis://", "redis+sentinel://", 1) + "/harbour",
			"harbour", "26379"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := rdb.Interactive(tc.url, 2*time.Second)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			err = c.Get(t.Context(), "key").Err()
			if rdb.Classify(err) != rdb.Unreachable || errors.Is(err, redis.Nil) ||
				!strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v (class %q), want %q", err, rdb.Classify(err), tc.want)
			}
			wantHint(t, err, tc.hint)
		})
	}
}
