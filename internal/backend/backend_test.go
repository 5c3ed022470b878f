package backend

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/owner"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/search"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, o Options) *Backend {
	t.Helper()
	b, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// both opens a store of either kind for a test.
func both(t *testing.T, test func(t *testing.T, b *Backend)) {
	t.Run(Embedded, func(t *testing.T) {
		t.Parallel()
		test(t, open(t, Options{StateDir: filepath.Join(t.TempDir(), "state")}))
	})
	t.Run(Redis, func(t *testing.T) {
		t.Parallel()
		s := rdbtest.Own(t, rdbtest.Search)
		test(t, open(t, Options{StateDir: filepath.Join(t.TempDir(), "state"), Redis: s.URL, Prefix: s.Prefix}))
	})
}

func TestLookingMakesNothing(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, b *Backend) {
		ctx := t.Context()
		if s, err := b.Stats(ctx); err != nil || s != (queue.Stats{}) {
			t.Errorf("stats %+v, %v", s, err)
		}
		if p, err := b.Projects(ctx, ""); err != nil || len(p) > 0 {
			t.Errorf("projects %v, %v", p, err)
		}
		if d, err := b.Dead(ctx); err != nil || len(d) > 0 {
			t.Errorf("dead %v, %v", d, err)
		}
		if d, err := b.Daemons(ctx); err != nil || len(d) > 0 {
			t.Errorf("daemons %v, %v", d, err)
		}
		if err := errors.Join(b.Ping(ctx), b.Forget(ctx, ""), b.Settle(ctx, "web", "/srv", "")); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(b.opts.StateDir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the state directory was made: %v", err)
		}
	})
}

func TestQueueIsSeenByThoseWhoLook(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, b *Backend) {
		ctx := t.Context()
		q, err := b.Queue()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := q.Push(ctx, queue.Request{Project: "web", Root: "/srv/web", At: time.Now()}); err != nil {
			t.Fatal(err)
		}
		other := open(t, b.opts)
		states, err := other.Projects(ctx, "")
		if err != nil || len(states) != 1 || states[0].ID != "web" || states[0].Pending != 1 || states[0].Files != 0 || states[0].Stale {
			t.Errorf("projects %+v, %v", states, err)
		}
		mark, err := other.Mark(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := other.Settle(ctx, "web", "/srv/web", mark); err != nil {
			t.Fatal(err)
		}
		if s, err := b.Stats(ctx); err != nil || s.Depth != 0 {
			t.Errorf("stats %+v, %v", s, err)
		}
		if b.Name == Embedded {
			if info, err := os.Stat(b.opts.StateDir); err != nil || info.Mode().Perm() != 0o700 {
				t.Errorf("state directory: %v, %v", info.Mode(), err)
			}
		}
	})
}

func TestOneDaemonAStateDirectory(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, b *Backend) {
		ctx := t.Context()
		d := b.Self([]string{"/srv"}, nil)
		hold, err := Hold(ctx, b.opts.StateDir, d)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Hold(ctx, b.opts.StateDir, d); !errors.Is(err, ErrRunning) || !strings.Contains(err.Error(), "pid ") {
			t.Errorf("a second one: %v", err)
		}
		var mark Mark
		if _, err := b.Register(ctx, d, &mark); err != nil {
			t.Fatal(err)
		}
		live, err := open(t, b.opts).Daemons(ctx)
		if err != nil || len(live) != 1 || !Covers(live, "/srv/web") || Covers(live, "/srvx") {
			t.Errorf("daemons %+v, %v", live, err)
		}
		if err := b.Unregister(ctx, d); err != nil {
			t.Fatal(err)
		}
		hold.Release()
		if live, err := b.Daemons(ctx); err != nil || len(live) > 0 {
			t.Errorf("after its end: %+v, %v", live, err)
		}
		hold, err = Hold(ctx, b.opts.StateDir, d)
		if err != nil {
			t.Fatal(err)
		}
		hold.Release()
	})
}

func TestDaemonThatDiedIsNotAlive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := open(t, Options{StateDir: dir})
	for name, text := range map[string]string{
		"left behind":     mustJSON(t, Daemon{Owner: owner.Self(), Backend: Embedded, Roots: []string{"/srv"}}),
		"a dead process":  mustJSON(t, Daemon{Owner: strings.Replace(owner.Self(), "|", "|other-boot", 1), Backend: Embedded}),
		"damaged":         "{",
		"another backing": mustJSON(t, Daemon{Owner: owner.Self(), Backend: Redis}),
	} {
		if err := os.WriteFile(filepath.Join(dir, infoFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, lockFile), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if live, err := b.Daemons(t.Context()); err != nil || len(live) > 0 {
			t.Errorf("%s: %+v, %v", name, live, err)
		}
	}
}

func TestALivingDaemonOfAnotherPidNamespaceIsSeen(t *testing.T) {
	t.Parallel()
	b := open(t, Options{StateDir: t.TempDir()})
	for what, part := range map[string]int{"another boot": 1, "another pid namespace": 4} {
		name := strings.Split(owner.Self(), "|")
		name[part], name[3] = "1", "1" // by pid and start time alone it would be dead
		d := b.Self([]string{"/srv"}, nil)
		d.Owner = strings.Join(name, "|")
		hold, err := Hold(t.Context(), b.opts.StateDir, d)
		if err != nil {
			t.Fatal(err)
		}
		if live, err := b.Daemons(t.Context()); err != nil || len(live) != 1 {
			t.Errorf("%s: %+v, %v", what, live, err)
		}
		hold.Release()
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestFlushedStoreIsNoticed(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := rdbtest.Own(t, rdbtest.Plain)
	b := open(t, Options{StateDir: t.TempDir(), Redis: s.URL, Prefix: s.Prefix})
	var mark Mark
	step := func(what string, want bool) {
		t.Helper()
		if lost, err := b.Register(ctx, b.Self(nil, nil), &mark); err != nil || lost != want {
			t.Errorf("%s: lost %v, %v", what, lost, err)
		}
	}
	step("the first time", false)
	step("nothing happened", false)
	if err := b.client.FlushAll(ctx).Err(); err != nil {
		t.Fatal(err)
	}
	step("flushed", true)
	step("and noticed once", false)
}

// TestDaemonStoppedBesideAnotherFindsItsStore: its registration has run out meanwhile, and the other's is renewed.
func TestDaemonStoppedBesideAnotherFindsItsStore(t *testing.T) {
	t.Parallel()
	s := rdbtest.Own(t, rdbtest.Plain)
	b := open(t, Options{StateDir: t.TempDir(), Redis: s.URL, Prefix: s.Prefix})
	stopped := Daemon{Owner: "stopped", Roots: []string{"/srv"}}
	mark := Mark{until: time.Now().Add(-time.Minute).Unix(), set: true}
	if err := s.Client(t).Do(t.Context(), "ZADD", s.Prefix+":daemons", mark.until, mustJSON(t, stopped)).Err(); err != nil {
		t.Fatal(err)
	}
	var other Mark
	if _, err := b.Register(t.Context(), Daemon{Owner: "other"}, &other); err != nil {
		t.Fatal(err)
	}
	if daemons, err := b.Daemons(t.Context()); err != nil || len(daemons) != 1 {
		t.Errorf("daemons %+v, %v; want the other one", daemons, err)
	}
	if lost, err := b.Register(t.Context(), stopped, &mark); err != nil || lost {
		t.Errorf("lost %v, %v; want nothing lost", lost, err)
	}
}

func TestExpiredRegistrationIsNoDaemon(t *testing.T) {
	t.Parallel()
	s := rdbtest.Own(t, rdbtest.Plain)
	b := open(t, Options{StateDir: t.TempDir(), Redis: s.URL, Prefix: s.Prefix})
	old := mustJSON(t, Daemon{Owner: "gone", Roots: []string{"/srv"}})
	ctx := t.Context()
	if err := s.Client(t).Do(ctx, "ZADD", s.Prefix+":daemons", time.Now().Add(-time.Second).Unix(), old).Err(); err != nil {
		t.Fatal(err)
	}
	older := mustJSON(t, Daemon{Owner: "gone for a day"})
	if err := s.Client(t).Do(ctx, "ZADD", s.Prefix+":daemons", time.Now().Add(-25*time.Hour).Unix(), older).Err(); err != nil {
		t.Fatal(err)
	}
	if live, err := b.Daemons(ctx); err != nil || len(live) > 0 {
		t.Errorf("daemons %+v, %v", live, err)
	}
	var mark Mark
	if _, err := b.Register(ctx, b.Self(nil, nil), &mark); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Client(t).ZCard(ctx, s.Prefix+":daemons").Result(); err != nil || n != 2 {
		t.Errorf("%d registrations, %v; want this one and that of less than a day ago", n, err)
	}
}

func TestOnceInAnInterval(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, b *Backend) {
		ctx := t.Context()
		for i, want := range []bool{true, false, false} {
			if first, err := b.Once(ctx, "ask:web", time.Hour); err != nil || first != want {
				t.Errorf("call %d: %v, %v", i, first, err)
			}
		}
		if first, err := open(t, b.opts).Once(ctx, "ask:web", time.Hour); err != nil || first {
			t.Errorf("another process: %v, %v", first, err)
		}
		if first, err := b.Once(ctx, "ask:api", time.Hour); err != nil || !first {
			t.Errorf("another key: %v, %v", first, err)
		}
	})
}

// lateIndex lists the projects of before a run that ends right then.
type lateIndex struct {
	search.Index
	end func()
}

func (x lateIndex) Projects(context.Context) ([]search.Project, error) {
	x.end()
	return []search.Project{{ID: "web", Root: "/srv/web", Generation: 1}}, nil
}

// A run that ends while the status is read must not show the index of before with nothing waiting.
func TestNothingWaitsOnlyWhenTheIndexShowsIt(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, b *Backend) {
		ctx := t.Context()
		q, err := b.Queue()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := q.Push(ctx, queue.Request{Project: "web", Root: "/srv/web", At: time.Now()}); err != nil {
			t.Fatal(err)
		}
		mark, err := b.Mark(ctx)
		if err != nil {
			t.Fatal(err)
		}
		b.Index = lateIndex{b.Index, func() {
			if err := b.Settle(ctx, "web", "/srv/web", mark); err != nil {
				t.Error(err)
			}
		}}
		states, err := b.Projects(ctx, "")
		if err != nil || len(states) != 1 || states[0].Generation != 1 || states[0].Pending != 1 {
			t.Errorf("generation 1 with nothing waiting: %+v, %v", states, err)
		}
	})
}

func TestStatesJoinIndexAndQueue(t *testing.T) {
	t.Parallel()
	states := States([]search.Project{{ID: "b", Files: 3}, {ID: "failed", Failed: "why"}, {ID: "late"}, {ID: "overwritten"}},
		[]queue.Waiting{{Project: "overwritten", Broken: "key"}, {Paths: 7}, {Project: "a", Root: "/a", Paths: 2, Oldest: time.Second}, {Project: "late", Paths: 1, Oldest: 2 * time.Minute}}, "", time.Minute)
	want := []struct {
		id      string
		pending int
		stale   bool
	}{{"a", 2, false}, {"b", 0, false}, {"failed", 0, true}, {"late", 1, true}, {"overwritten", 0, true}}
	if len(states) != len(want) {
		t.Fatalf("%+v", states)
	}
	for i, w := range want {
		if s := states[i]; s.ID != w.id || s.Pending != w.pending || s.Stale != w.stale {
			t.Errorf("%+v, want %+v", s, w)
		}
	}
	if one := States([]search.Project{{ID: "b"}}, nil, "x", time.Minute); one == nil || len(one) != 0 {
		t.Errorf("an unknown project: %v", one)
	}
}

func TestFailureIsRecordedUnlessItOnlyCameEarly(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, b *Backend) {
		ctx := t.Context()
		w, err := b.Index.Writer(ctx, search.Spec{Project: "web", Root: "/srv", Model: search.Model{Embedder: "none"}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Commit(ctx, true); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		failed := func() string {
			t.Helper()
			s, err := b.Projects(ctx, "web")
			if err != nil || len(s) != 1 {
				t.Fatalf("%+v, %v", s, err)
			}
			return s[0].Failed
		}
		for _, err := range []error{&search.LockedError{}, search.ErrLost, context.Canceled} {
			b.NoteFailure(ctx, "web", err)
		}
		if why := failed(); why != "" {
			t.Errorf("recorded %q", why)
		}
		b.NoteFailure(ctx, "web", errors.New("disk full"))
		if why := failed(); why != "disk full" {
			t.Errorf("recorded %q", why)
		}
	})
}

func TestAnUnfinishedVersionCountsAndGoesWithItsProject(t *testing.T) {
	t.Parallel()
	b := open(t, Options{StateDir: t.TempDir(), MaxStateBytes: 1 << 40})
	ctx := t.Context()
	spec := search.Spec{Project: "web", Root: "/web", Model: search.Model{Embedder: "none"}}
	write := func(spec search.Spec, entries int, complete bool) int64 {
		t.Helper()
		w, err := b.Index.Writer(ctx, spec)
		if err != nil {
			t.Fatal(err)
		}
		for i := range entries {
			if err := w.Touch(ctx, search.Entry{Path: strings.Repeat("x", i+1), Skip: code.Binary}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.Commit(ctx, complete); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		size, err := sizeOf(b.opts.StateDir)
		if err != nil {
			t.Fatal(err)
		}
		return size
	}
	before := write(spec, 1, true)
	spec.Next, spec.Model.Embedder = true, "other"
	after := write(spec, 300, false)
	b.opts.MaxStateBytes = (before + after) / 2
	if err := b.Evict(ctx, "another", Client); err != nil {
		t.Fatal(err)
	}
	if size, err := sizeOf(b.opts.StateDir); err != nil || size >= before {
		t.Errorf("%d bytes are left of %d, %v", size, after, err)
	}
}
