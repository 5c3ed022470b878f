package daemon

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/search"
)

// idle is a daemon whose duties do not run, so that a test can call them.
func idle(b *bundle) *daemon {
	b.t.Helper()
	q, err := b.back.Queue()
	if err != nil {
		b.t.Fatal(err)
	}
	o := b.options(b.back)
	o.Allow = []string{b.root}
	return &daemon{opts: o, log: o.Log, index: b.back.Index, queue: q, watch: []string{b.root}, served: newServed()}
}

func (b *bundle) index(project string) search.Project {
	b.t.Helper()
	rep, err := ingest.New(b.back.Index, ingest.Options{}).Refresh(b.t.Context(), ingest.Request{Project: project, Root: b.root})
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

func TestProjectOfARootGoneForADayIsRemoved(t *testing.T) {
	both(t, func(b *bundle) {
		d := idle(b)
		b.index("web")
		if err := os.Rename(b.root, filepath.Join(filepath.Dir(b.root), "moved")); err != nil {
			b.t.Fatal(err)
		}
		if err := d.reconcile(t.Context(), false); err != nil {
			b.t.Fatal(err)
		}
		if s, err := b.back.Projects(t.Context(), "web"); err != nil || len(s) != 1 || !s[0].Stale {
			b.t.Errorf("a missing root: %+v, %v", s, err)
		}
		d.served.missing("web", false, time.Time{})
		d.served.missing("web", true, time.Now().Add(-goneFor))
		if err := d.reconcile(t.Context(), false); err != nil {
			b.t.Fatal(err)
		}
		if s, err := b.back.Projects(t.Context(), "web"); err != nil || len(s) != 0 {
			b.t.Errorf("gone for a day: %+v, %v", s, err)
		}
	})
}

func TestAWalkIsNotRepeatedTooSoon(t *testing.T) {
	s := newServed()
	now := time.Now()
	s.walked("web", now.Add(-time.Second), now) // took 1 s
	if !s.rest("web", now.Add(99*time.Second)) || s.rest("web", now.Add(101*time.Second)) || s.rest("api", now) {
		t.Error("want a rest of 100 times what the walk took")
	}
}
