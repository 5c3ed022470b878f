package backend

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/contextd/contextd/internal/presence"
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
		if err != nil || len(states) != 1 || states[0].ID != "web" || states[0].Pending != 1 || states[0].Files != 0 ||
			states[0].Stale {
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
		hold, err := presence.Hold(ctx, b.opts.StateDir, d)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := presence.Hold(ctx, b.opts.StateDir, d); !errors.Is(err, presence.ErrRunning) ||
			!strings.Contains(err.Error(), "pid ") {
			t.Errorf("a second one: %v", err)
		}
		var mark presence.Mark
		if _, err := b.Register(ctx, d, &mark); err != nil {
			t.Fatal(err)
		}
		live, err := open(t, b.opts).Daemons(ctx)
		if err != nil || len(live) != 1 || !presence.Covers(live, "/srv/web") || presence.Covers(live, "/srvx") {
			t.Errorf("daemons %+v, %v", live, err)
		}
		if err := b.Unregister(ctx, d); err != nil {
			t.Fatal(err)
		}
		hold.Release()
		if live, err := b.Daemons(ctx); err != nil || len(live) > 0 {
			t.Errorf("after its end: %+v, %v", live, err)
		}
		hold, err = presence.Hold(ctx, b.opts.StateDir, d)
		if err != nil {
			t.Fatal(err)
		}
		hold.Release()
	})
}

func TestADaemonOnAnotherBackingDoesNotServeThisStore(t *testing.T) {
	t.Parallel()
	b := open(t, Options{StateDir: t.TempDir()})
	for backing, want := range map[string]int{Redis: 0, Embedded: 1} {
		hold, err := presence.Hold(t.Context(), b.opts.StateDir, presence.Self(backing, []string{"/srv"}, nil))
		if err != nil {
			t.Fatal(err)
		}
		if live, err := b.Daemons(t.Context()); err != nil || len(live) != want {
			t.Errorf("a daemon on %s: %+v, %v", backing, live, err)
		}
		hold.Release()
	}
}

func TestOnceInAnInterval(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, b *Backend) {
		ctx := t.Context()
		for i, want := range []bool{true, false, false} {
			if first, err := b.Once(ctx, "web", "ask:web", time.Hour); err != nil || first != want {
				t.Errorf("call %d: %v, %v", i, first, err)
			}
		}
		if first, err := open(t, b.opts).Once(ctx, "web", "ask:web", time.Hour); err != nil || first {
			t.Errorf("another process: %v, %v", first, err)
		}
		if first, err := b.Once(ctx, "api", "ask:api", time.Hour); err != nil || !first {
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
	states := States([]search.Project{{ID: "b", Files: 3}, {ID: "failed", Failed: "why"}, {ID: "late"},
		{ID: "overwritten"}},
		[]queue.Waiting{{Project: "overwritten", Broken: "key"}, {Paths: 7},
			{Project: "a", Root: "/a", Paths: 2, Oldest: time.Second},
			{Project: "late", Paths: 1, Oldest: 2 * time.Minute}}, "", time.Minute)
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
