package rdb_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestParseURL(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ url, want string }{
		{"redis://127.0.0.1:6379", ""},
		{"redis://127.0.0.1", ""},
		{"redis://127.0.0.1:6379/0", ""},
		{"redis://user:secret@127.0.0.1:6379/", ""},
		{"rediss://:secret@cache.test:6380/0", ""},
		{"unix:///run/redis.sock", ""},
		{"redis://:secret@127.0.0.1:6379/3", "database 3"},
		{"redis://:secret@127.0.0.1:6379?db=2", "database 2"},
		{"unix:///run/redis.sock?db=4", "database 4"},
		{"redis://:secret@127.0.0.1/notanumber", "database number"},
		{"http://127.0.0.1:1", `scheme "http"`},
		{"127.0.0.1:6379", "cannot be read"},
		{"localhost:6379", "scheme"},
		{"", "scheme"},
		{"unix://", "socket"},
		{"redis://:secret%@127.0.0.1", "cannot be read"},
		{"redis://:secret@127.0.0.1:port", "cannot be read"},
		{"redis://:secret@127.0.0.1/0?read_timeout=secret", ""},
		{"redis://127.0.0.1/0?no_such=1", "no_such"},
	} {
		_, err := rdb.ParseURL(tc.url)
		if tc.want == "" {
			if err != nil && !strings.Contains(tc.url, "?") {
				t.Errorf("%q: %v", tc.url, err)
			}
			continue
		}
		var u *rdb.URLError
		if !errors.As(err, &u) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q: got %v, want a URLError with %q", tc.url, err, tc.want)
			continue
		}
		if strings.Contains(err.Error()+u.Hint(), "secret") {
			t.Errorf("%q: the error shows the password: %v", tc.url, err)
		}
		if u.Hint() == "" {
			t.Errorf("%q: no hint", tc.url)
		}
		if strings.HasPrefix(tc.want, "database ") && tc.want != "database number" &&
			!strings.Contains(u.Hint(), "--redis off") {
			t.Errorf("%q: hint %q does not name --redis off", tc.url, u.Hint())
		}
	}
}

func TestErrorsOfARealServerAreClassified(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	search, plain := rdbtest.Start(t, rdbtest.Search), rdbtest.Own(t, rdbtest.Plain)
	locked := rdbtest.Own(t, rdbtest.Plain, "--requirepass", "right")
	sc, pc, lc := search.Client(t), plain.Client(t), locked.Client(t)
	wrong, err := rdb.Worker(strings.Replace(locked.URL, "redis://", "redis://:wrong@", 1))
	if err != nil {
		t.Fatal(err)
	}
	defer wrong.Close()
	if err := pc.Set(ctx, "text", "x", 0).Err(); err != nil {
		t.Fatal(err)
	}
	idx := search.Prefix + ":i"
	create := func() error {
		return sc.Do(ctx, "FT.CREATE", idx, "ON", "HASH", "PREFIX", 1, search.Prefix+":c:", "SCHEMA", "terms",
			"TEXT").Err()
	}
	if err := create(); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		err  error
		want rdb.Class
	}{
		{"ping", sc.Ping(ctx).Err(), rdb.OK},
		{"get", sc.Get(ctx, search.Prefix+":none").Err(), rdb.Nil},
		{"search without index", sc.Do(ctx, "FT.SEARCH", search.Prefix+":none", "*").Err(), rdb.NoIndex},
		{"info without index", sc.Do(ctx, "FT.INFO", search.Prefix+":none").Err(), rdb.NoIndex},
		{"drop without index", sc.Do(ctx, "FT.DROPINDEX", search.Prefix+":none").Err(), rdb.NoIndex},
		{"create twice", create(), rdb.Exists},
		{"bad query", sc.Do(ctx, "FT.SEARCH", idx, "((").Err(), rdb.Other},
		{"no group", sc.Do(ctx, "XREADGROUP", "GROUP", "g", "c", "STREAMS", search.Prefix+":s", ">").Err(),
			rdb.NoGroup},
		{"another type", pc.HGet(ctx, "text", "x").Err(), rdb.WrongType},
		{"no module", pc.Do(ctx, "FT.SEARCH", "x", "*").Err(), rdb.NoModule},
		{"other unknown command", pc.Do(ctx, "NOSUCH").Err(), rdb.Other},
		{"no script", pc.EvalSha(ctx, strings.Repeat("0", 40), nil).Err(), rdb.NoScript},
		{"no password", lc.Ping(ctx).Err(), rdb.Auth},
		{"wrong password", wrong.Ping(ctx).Err(), rdb.Auth},
	} {
		if got := rdb.Classify(tc.err); got != tc.want {
			t.Errorf("%s: %v is %q, want %q", tc.name, tc.err, got, tc.want)
		}
	}
}

func TestAHangingOrDeadServerIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	s := rdbtest.Own(t, rdbtest.Plain)
	c, err := rdb.Interactive(s.URL, 300*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx := context.Background()
	if err := c.Set(ctx, "k", "v", 0).Err(); err != nil {
		t.Fatal(err)
	}
	s.Pause(t)
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if got := rdb.Classify(c.Get(short, "k").Err()); got != rdb.Deadline {
		t.Errorf("a hanging server, by context: %q", got)
	}
	if got := rdb.Classify(c.Get(ctx, "k").Err()); got != rdb.Deadline {
		t.Errorf("a hanging server, by the client's own deadline: %q", got)
	}
	s.Resume(t)
	s.Kill(t)
	if got := rdb.Classify(c.Get(ctx, "k").Err()); got != rdb.Unreachable {
		t.Errorf("a dead server: %q", got)
	}
	s.Restart(t)
	if v, err := c.Get(ctx, "k").Result(); err != nil || v != "v" {
		t.Errorf("after a restart: %q, %v", v, err)
	}
}

func TestABurstWaitsForConnectionsAsLongAsForAnswers(t *testing.T) {
	t.Parallel()
	server := rdbtest.Own(t, rdbtest.Plain)
	client, err := rdb.Interactive(server.URL, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var wg sync.WaitGroup
	for range 2 * client.Options().PoolSize { // each keeps a connection for a second
		wg.Go(func() {
			if err := client.BLPop(t.Context(), time.Second, server.Prefix+":none").Err(); !errors.Is(err, redis.Nil) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
