package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
)

// idle is a daemon whose duties do not run, so that a test can call them.
func idle(b *bundle) *daemon {
	b.t.Helper()
	q, err := b.back.Queue()
	if err != nil {
		b.t.Fatal(err)
	}
	o := b.options(b.back).WithDefaults()
	o.Allow = []string{b.root}
	return &daemon{opts: o, log: o.Log, index: b.back.Index, queue: q, watch: []string{b.root}, served: newServed(),
		rebuilds: ingest.NewRebuilds(1), life: b.t.Context(), held: newHeldBack(o.Log, nil), allowed: sandbox.Allow(o.Allow)}
}

func (b *bundle) index(project string) search.Project {
	b.t.Helper()
	return b.indexAt(project, b.root)
}

func (b *bundle) indexAt(project, root string) search.Project {
	b.t.Helper()
	rep, err := ingest.New(b.back.Index, ingest.Options{}).Refresh(b.t.Context(),
		ingest.Request{Project: project, Root: root})
	if err != nil {
		b.t.Fatal(err)
	}
	return rep.Project
}

func (b *bundle) depth() int {
	b.t.Helper()
	s, err := b.back.Stats(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return s.Depth
}

func TestReconcilingWithoutAChangeIsNoRun(t *testing.T) {
	both(t, func(b *bundle) {
		d := idle(b)
		p := b.index("web")
		for range 3 {
			if err := d.reconcile(t.Context(), false); err != nil {
				b.t.Fatal(err)
			}
		}
		if n := b.depth(); n != 0 {
			b.t.Errorf("%d requests", n)
		}
		states, err := b.back.Projects(t.Context(), "web")
		if err != nil || states[0].Generation != p.Generation || states[0].Failed != "" {
			b.t.Errorf("%+v, %v", states, err)
		}
	})
}

func TestReconcilingAsksForWhatDiffers(t *testing.T) {
	both(t, func(b *bundle) {
		d := idle(b)
		b.index("web")
		b.write("b.go", "package b\n")
		if err := d.reconcile(t.Context(), false); err != nil {
			b.t.Fatal(err)
		}
		if n := b.depth(); n != 1 {
			b.t.Errorf("%d requests", n)
		}
		if err := d.reconcile(t.Context(), false); err != nil { // what waits is not asked for again
			b.t.Fatal(err)
		}
		if s, err := b.back.Waiting(t.Context(), "web"); err != nil || len(s) != 1 || s[0].Paths != 1 {
			b.t.Errorf("%+v, %v", s, err)
		}
	})
}

func TestReconcilingAsksForARemovedIndexOfAWatchedRoot(t *testing.T) {
	both(t, func(b *bundle) {
		d := idle(b)
		if err := d.reconcile(t.Context(), false); err != nil {
			b.t.Fatal(err)
		}
		if n := b.depth(); n != 1 {
			b.t.Errorf("%d requests", n)
		}
	})
}

// clock is a daemon's time in the hands of a test.
type clock struct{ at time.Time }

func (c *clock) now() time.Time       { return c.at }
func (c *clock) pass(d time.Duration) { c.at = c.at.Add(d) }

// vanish moves the root away; the function it returns brings it back.
func (b *bundle) vanish() (back func()) {
	b.t.Helper()
	away := filepath.Join(filepath.Dir(b.root), "away")
	move := func(from, to string) {
		b.t.Helper()
		if err := os.Rename(from, to); err != nil {
			b.t.Fatal(err)
		}
	}
	move(b.root, away)
	return func() { b.t.Helper(); move(away, b.root) }
}

// round is one reconciliation of d; it returns how many projects there then are.
func (d *daemon) round(b *bundle) int {
	b.t.Helper()
	if err := d.reconcile(b.t.Context(), false); err != nil {
		b.t.Fatal(err)
	}
	states, err := b.back.Index.Projects(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return len(states)
}

func TestProjectOfARootGoneForADayIsRemoved(t *testing.T) {
	both(t, func(b *bundle) {
		c := &clock{time.Now()}
		d := idle(b)
		d.opts.Now = c.now
		b.index("web")
		b.push(queue.Request{Project: "web", Root: b.root})
		b.vanish()
		if d.round(b) != 1 {
			b.t.Fatal("removed at once")
		}
		if s, err := b.back.Projects(b.t.Context(), "web"); err != nil || !s[0].Stale ||
			!strings.Contains(s[0].Failed, "no such folder") {
			b.t.Errorf("a missing root: %+v, %v", s, err)
		}
		for range 23 {
			if c.pass(time.Hour); d.round(b) != 1 {
				b.t.Fatalf("removed before its time")
			}
		}
		d = idle(b) // the daemon starts again, and has not forgotten
		d.opts.Now = c.now
		if c.pass(time.Hour); d.round(b) != 1 {
			b.t.Fatal("removed as soon as a new daemon looked")
		}
		if c.pass(minObservedMissing); d.round(b) != 0 {
			b.t.Error("gone for a day, and still there")
		}
		if w, err := b.back.Waiting(b.t.Context(), ""); err != nil || len(w) != 0 {
			b.t.Errorf("waiting %+v, %v", w, err)
		}
		if gone, err := b.back.Gone(b.t.Context()); err != nil || len(gone) != 0 {
			b.t.Errorf("noted %v, %v", gone, err)
		}
	})
}

func TestReturnedRootIsRefreshedAndItsRemovalTimerRestarts(t *testing.T) {
	both(t, func(b *bundle) {
		c := &clock{time.Now()}
		d := idle(b)
		d.watch, d.opts.Now = nil, c.now
		b.index("web")
		back := b.vanish()
		d.round(b)
		c.pass(removeMissingAfter - time.Minute)
		d.round(b)
		back()
		if d.round(b) != 1 || b.depth() != 1 {
			b.t.Errorf("back again: %d requests", b.depth())
		}
		d.serve(b)
		if s, err := b.back.Projects(b.t.Context(), "web"); err != nil || s[0].Failed != "" {
			b.t.Errorf("back again: %+v, %v", s, err)
		}
		b.vanish()
		c.pass(2 * time.Minute)
		for _, pass := range []time.Duration{
			0, minObservedMissing, removeMissingAfter - minObservedMissing - time.Second,
		} {
			if c.pass(pass); d.round(b) != 1 {
				b.t.Errorf("removed before its day was over")
			}
		}
		if c.pass(time.Second); d.round(b) != 0 {
			b.t.Error("gone for a day, and still there")
		}
	})
}

func TestMissingRootOutsideTheAllowedRootsIsIgnored(t *testing.T) {
	both(t, func(b *bundle) {
		c := &clock{time.Now()}
		d := idle(b)
		d.opts.Now, d.allowed, d.watch = c.now, sandbox.Allow([]string{filepath.Join(filepath.Dir(b.root), "else")}),
			nil
		b.index("web")
		b.vanish()
		for range 3 {
			if c.pass(removeMissingAfter); d.round(b) != 1 {
				b.t.Fatal("removed")
			}
		}
	})
}

func TestWhatWasNotedOfAProjectThatWasRemovedIsForgotten(t *testing.T) {
	both(t, func(b *bundle) {
		c := &clock{time.Now()}
		d := idle(b)
		d.opts.Now = c.now
		b.index("web")
		b.vanish()
		d.round(b)
		if err := b.back.Index.Remove(b.t.Context(), "web", 0); err != nil {
			b.t.Fatal(err)
		}
		d.round(b)
		if gone, err := b.back.Gone(b.t.Context()); err != nil || len(gone) != 0 {
			b.t.Errorf("noted %v, %v", gone, err)
		}
	})
}

func TestAWalkIsNotRepeatedTooSoon(t *testing.T) {
	s := newServed()
	now := time.Now()
	s.noteWalk("web", now.Add(-time.Second), now) // took 1 s
	if !s.walkedRecently("web", now.Add(99*time.Second)) || s.walkedRecently("web", now.Add(101*time.Second)) ||
		s.walkedRecently("api", now) {
		t.Error("want a rest of 100 times what the walk took")
	}
}
