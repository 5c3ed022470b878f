package daemon

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/presence"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

func TestADaemonTakesItsRemovedStateDirectoryBackAndAsksForAllItHeld(t *testing.T) {
	b := newBundle(t, nil)
	b.index("web") // by another process; the daemon may serve its root and does not watch it
	watched := b.root + "-watched"
	if err := os.CopyFS(watched, os.DirFS(b.root)); err != nil {
		t.Fatal(err)
	}
	b.start(func(o *Options) { o.Watch, o.Allow = []string{watched}, []string{b.root} })
	b.indexed(code.DefaultProjectID(watched), "a.go")
	if err := os.RemoveAll(b.opts.StateDir); err != nil {
		t.Skipf("not to be done on this system: %v", err)
	}
	b.indexed("web", "a.go")
	b.indexed(code.DefaultProjectID(watched), "a.go")
	if live, err := b.back.Daemons(t.Context()); err != nil || !presence.Watches(live, watched) {
		t.Errorf("daemons %+v, %v", live, err)
	}
	if err := Run(t.Context(), b.options(b.open())); !errors.Is(err, presence.ErrRunning) {
		t.Errorf("a second daemon: %v", err)
	}
	if n := strings.Count(b.log.String(), "removed or replaced"); n != 1 {
		t.Errorf("said %d times", n)
	}
}

func TestADaemonEndsWhenAnotherHasTakenItsStateDirectory(t *testing.T) {
	b := newBundle(t, nil)
	back := b.open()
	done := make(chan error, 1)
	go func() { done <- Run(t.Context(), b.options(back)) }()
	b.indexed(code.DefaultProjectID(b.root), "a.go")
	if err := os.Rename(b.opts.StateDir, b.opts.StateDir+"-away"); err != nil {
		t.Skipf("not to be done on this system: %v", err)
	}
	hold, err := presence.Hold(t.Context(), b.opts.StateDir, b.back.Self(nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Release()
	if err := <-done; !errors.Is(err, presence.ErrRunning) {
		t.Errorf("ended with %v", err)
	}
}

func TestAProjectThatSomebodyRemovedIsNotAskedForAfterALoss(t *testing.T) {
	both(t, func(b *bundle) {
		ctx := t.Context()
		d := idle(b)
		known := func(want ...string) {
			t.Helper()
			d.served.update(d.listProjects(ctx))
			if have := slices.Sorted(maps.Keys(d.served.allRoots())); fmt.Sprint(have) != fmt.Sprint(want) {
				t.Errorf("remembered: %v, want %v", have, want)
			}
		}
		b.index("removed")
		b.index("stays")
		d.served.remember("new", filepath.Join(b.root, "new")) // not indexed yet
		known("new", "removed", "stays")
		if err := errors.Join(b.back.Index.Remove(ctx, "removed", 0), b.back.Forget(ctx, "removed")); err != nil {
			t.Fatal(err)
		}
		known("new", "stays")
		b.push(queue.Request{Project: "stays", Root: b.root})
		if err := b.back.Index.Remove(ctx, "stays", 0); err != nil {
			t.Fatal(err)
		}
		if _, err := d.queue.Drain(ctx, func(*queue.Request) error { return nil }); err != nil {
			t.Fatal(err)
		}
		known("new", "stays") // it is about to be indexed again
	})
}

func TestARemovedProjectIsForgottenBeforeTheStoreLosesItsData(t *testing.T) {
	b := newBundle(t, rdbtest.Own(t, rdbtest.Search))
	ctx := t.Context()
	b.index("removed")
	b.index("stays")
	b.start(func(o *Options) { o.Watch, o.Allow = nil, []string{b.root} })
	c := b.redis.Client(t)
	b.eventually("a daemon that listens", func() string {
		n, err := c.PubSubNumSub(ctx, b.redis.Prefix+":removed").Result()
		if err == nil && n[b.redis.Prefix+":removed"] == 1 {
			return ""
		}
		return fmt.Sprint(n, err)
	})
	if err := errors.Join(b.back.Index.Remove(ctx, "removed", 0), b.back.Forget(ctx, "removed")); err != nil {
		t.Fatal(err)
	}
	b.back.NoteRemoved(ctx, "removed")
	if err := c.FlushAll(ctx).Err(); err != nil {
		t.Fatal(err)
	}
	b.indexed("stays", "a.go")
	b.eventually("nothing left to do", func() string {
		stats, err := b.back.Stats(ctx)
		if err == nil && stats.Depth == 0 && stats.Inflight == 0 {
			return ""
		}
		return fmt.Sprintf("%+v, %v", stats, err)
	})
	if list, err := b.back.Index.Projects(ctx); err != nil || len(list) != 1 || list[0].ID != "stays" {
		t.Errorf("projects %v, %v", list, err)
	}
}

func TestAListingFromBeforeARemovalRestoresNothing(t *testing.T) {
	t.Parallel()
	s := newServed()
	root := filepath.FromSlash("/srv/web")
	old := &listing{projects: []project{{id: "web", root: root, indexed: true}}, removals: s.removals()}
	s.update(old)
	s.remove("web")
	if s.update(old); len(s.allRoots()) != 0 {
		t.Errorf("remembered: %v", s.allRoots())
	}
	now := &listing{projects: old.projects, removals: s.removals()} // somebody has indexed it since
	if s.update(now); s.allRoots()["web"] != root {
		t.Errorf("indexed again, and forgotten: %v", s.allRoots())
	}
}
