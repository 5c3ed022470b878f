package presence

import (
	"testing"
	"time"

	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

func TestFlushedStoreIsNoticed(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := rdbtest.Own(t, rdbtest.Plain)
	client := s.Client(t)
	r := NewRegistry(client, s.Prefix+":daemons")
	var mark Mark
	step := func(what string, want bool) {
		t.Helper()
		if lost, err := r.Register(ctx, Self("redis", nil, nil), &mark); err != nil || lost != want {
			t.Errorf("%s: lost %v, %v", what, lost, err)
		}
	}
	step("the first time", false)
	step("nothing happened", false)
	if err := client.FlushAll(ctx).Err(); err != nil {
		t.Fatal(err)
	}
	step("flushed", true)
	step("and noticed once", false)
}

// TestDaemonStoppedBesideAnotherFindsItsStore: its registration has run out meanwhile, and the other's is renewed.
func TestDaemonStoppedBesideAnotherFindsItsStore(t *testing.T) {
	t.Parallel()
	s := rdbtest.Own(t, rdbtest.Plain)
	client := s.Client(t)
	r := NewRegistry(client, s.Prefix+":daemons")
	stopped := Daemon{Owner: "stopped", Roots: []string{"/srv"}}
	mark := Mark{until: time.Now().Add(-time.Minute).Unix(), set: true}
	if err := client.Do(t.Context(), "ZADD", s.Prefix+":daemons", mark.until, mustJSON(t, stopped)).Err(); err != nil {
		t.Fatal(err)
	}
	var other Mark
	if _, err := r.Register(t.Context(), Daemon{Owner: "other"}, &other); err != nil {
		t.Fatal(err)
	}
	if daemons, err := r.List(t.Context()); err != nil || len(daemons) != 1 {
		t.Errorf("daemons %+v, %v; want the other one", daemons, err)
	}
	if lost, err := r.Register(t.Context(), stopped, &mark); err != nil || lost {
		t.Errorf("lost %v, %v; want nothing lost", lost, err)
	}
}

func TestExpiredRegistrationIsNoDaemon(t *testing.T) {
	t.Parallel()
	s := rdbtest.Own(t, rdbtest.Plain)
	client := s.Client(t)
	r := NewRegistry(client, s.Prefix+":daemons")
	old := mustJSON(t, Daemon{Owner: "gone", Roots: []string{"/srv"}})
	ctx := t.Context()
	if err := client.Do(ctx, "ZADD", s.Prefix+":daemons", time.Now().Add(-time.Second).Unix(), old).Err(); err != nil {
		t.Fatal(err)
	}
	older := mustJSON(t, Daemon{Owner: "gone for a day"})
	if err := client.Do(ctx, "ZADD", s.Prefix+":daemons", time.Now().Add(-25*time.Hour).Unix(),
		older).Err(); err != nil {
		t.Fatal(err)
	}
	if live, err := r.List(ctx); err != nil || len(live) > 0 {
		t.Errorf("daemons %+v, %v", live, err)
	}
	var mark Mark
	if _, err := r.Register(ctx, Self("redis", nil, nil), &mark); err != nil {
		t.Fatal(err)
	}
	if n, err := client.ZCard(ctx, s.Prefix+":daemons").Result(); err != nil || n != 2 {
		t.Errorf("%d registrations, %v; want this one and that of less than a day ago", n, err)
	}
}
