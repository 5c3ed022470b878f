package freshness_test

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/app/apptest"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/freshness"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/presence"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/search"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestFirstIndexesBeforeItAnswersAndNeverDoesNot(t *testing.T) {
	t.Parallel()
	b := apptest.Open(t)
	w := access.Where{Root: b.Root}
	if r := b.Ask("OpenGate", w, freshness.Never); r.Status != retrieve.Degraded || r.Reasons[0] != retrieve.IndexMissing {
		t.Errorf("never: %+v", r)
	}
	if r := b.Ask("OpenGate", w, freshness.First); r.Status != retrieve.OK || len(r.Results) != 1 {
		t.Errorf("first: %+v", r)
	}
}

// freshness.Behind answers from what is there: of a file that came since, nothing until the run behind is through.
func TestBehindWaitsForTheFirstGenerationOnly(t *testing.T) {
	t.Parallel()
	b := apptest.Open(t)
	w := access.Where{Root: b.Root}
	if r := b.Ask("OpenGate", w, freshness.Behind); r.Status != retrieve.OK || r.Generation != 1 {
		t.Errorf("first generation: %+v", r)
	}
	target := access.Target{Project: code.DefaultProjectID(b.Root), Root: b.Root}
	b.Fresh.Idle()
	if b.Fresh.Rest(target.Project).IsZero() {
		t.Error("no rest after a run")
	}
	b.Write("lamp.go", "package harbour\n\n// LightLamp lights the lamp.\nfunc LightLamp() {}\n")
	if !b.Fresh.Start(target, true) {
		t.Error("a change that is known starts no run")
	}
	b.Fresh.Idle()
	if r := b.Ask("LightLamp", w, freshness.Never); len(r.Results) != 1 || r.Generation != 2 {
		t.Errorf("after the run: %+v", r)
	}
}

// A closed session starts nothing.
func TestCloseEndsRuns(t *testing.T) {
	t.Parallel()
	b := apptest.Open(t)
	target := access.Target{Project: "web", Root: b.Root}
	if !b.Fresh.Start(target, false) {
		t.Fatal("no run")
	}
	b.Fresh.Close()
	if b.Fresh.Start(target, true) {
		t.Error("a run after the end")
	}
}

// A change that comes in the midst of a run is followed by another run.
func TestARunIsFollowedByAnotherWhereSomethingCameMeanwhile(t *testing.T) {
	t.Parallel()
	b := apptest.Open(t)
	target := access.Target{Project: "web", Root: b.Root}
	b.Fresh.Pretend("web")
	again := func() bool { return b.Fresh.Again("web") }
	if !b.Fresh.Start(target, false) || again() {
		t.Error("a question asks for another run")
	}
	if !b.Fresh.Start(target, true) || !again() {
		t.Error("a change does not ask for another run")
	}
	if !b.Fresh.Run(target) {
		t.Error("the run is not followed by another")
	}
	if b.Fresh.Run(target) {
		t.Error("that one is followed by a third")
	}
	if b.Fresh.Start(target, false) {
		t.Error("no rest after a run")
	}
}

// A daemon that died in its tracks, or is only about to index, keeps no answer from telling of what was written since.
func TestNothingRelevantIsSaidOnlyAfterTheDiskWasCompared(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		watched bool
		refresh freshness.When
		found   bool // else it is said that something may be missing
	}{
		{"watched, command", true, freshness.First, false},
		{"watched, server", true, freshness.Behind, false},
		{"may be served, command", false, freshness.First, true},
		{"may be served, server", false, freshness.Behind, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := apptest.Open(t)
			w := access.Where{Root: b.Root}
			b.Ask("OpenGate", w, freshness.First)
			var watched []string
			if tt.watched {
				watched = []string{b.Root}
			}
			hold, err := presence.Hold(t.Context(), b.State, b.Backend.Self([]string{filepath.Dir(b.Root)}, watched))
			if err != nil {
				t.Fatal(err)
			}
			defer hold.Release()
			if r := b.Ask("DrownTheWhale", w, tt.refresh); r.Status != retrieve.Empty {
				t.Errorf("nothing has changed: %s %v", r.Status, r.Reasons)
			}
			b.Write("whale.go", "package harbour\n\nfunc DrownTheWhale() {}\n")
			r := b.Ask("DrownTheWhale", w, tt.refresh)
			waits := len(r.Reasons) == 1 && r.Reasons[0] == retrieve.ChangesWaiting && r.Status == retrieve.Degraded
			if found := r.Status == retrieve.OK && len(r.Results) == 1; found != tt.found || !found && !waits {
				t.Errorf("after a write: %s %v, %d results", r.Status, r.Reasons, len(r.Results))
			}
		})
	}
}

// walked is an index that counts how often it is compared with the disk.
type walked struct {
	search.Index
	times *atomic.Int32
}

func (w walked) Open(ctx context.Context, project string) (search.Snapshot, error) {
	w.times.Add(1)
	return w.Index.Open(ctx, project)
}

// With a daemon that refreshes the root when it is asked to, a question compares before it answers. That is what "nothing
// relevant" rests on: the tree is not walked a second time.
func TestNothingRelevantCostsOneComparisonOnRedis(t *testing.T) {
	t.Parallel()
	var times atomic.Int32
	server := rdbtest.Start(t, rdbtest.Search)
	b := apptest.Open(t, func(o *app.Options) {
		apptest.OpenOn(t, server, o)
		o.Ingester = ingest.New(walked{o.Backend.Index, &times}, ingest.Options{Embedder: o.Embedders.Chosen()})
	})
	w := access.Where{Project: "web", Root: b.Root}
	b.Reindex(w)
	for name, tt := range map[string]struct {
		roots, watched []string
	}{"nobody": {}, "may be served": {[]string{b.Root}, nil}, "watched": {[]string{b.Root}, []string{b.Root}}} {
		self, mark := b.Backend.Self(tt.roots, tt.watched), presence.Mark{}
		if _, err := b.Backend.Register(t.Context(), self, &mark); err != nil {
			t.Fatal(err)
		}
		times.Store(0)
		if r := b.Ask("DrownTheWhale", w, freshness.Behind); r.Status != retrieve.Empty || times.Load() != 1 {
			t.Errorf("%s: %s %v after %d comparisons, want one", name, r.Status, r.Reasons, times.Load())
		}
		if err := b.Backend.Unregister(t.Context(), self); err != nil {
			t.Fatal(err)
		}
	}
}

// Whatever the settings of a question are, it brings an index up to date as it is; "index" and the daemon make another
// of it.
func TestAQuestionLeavesAnIndexWithItsEmbedder(t *testing.T) {
	t.Parallel()
	for _, refresh := range []freshness.When{freshness.First, freshness.Behind} {
		b := apptest.Open(t)
		words := ingest.New(b.Backend.Index, ingest.Options{})
		if _, err := words.Refresh(t.Context(), ingest.Request{Project: "web", Root: b.Root}); err != nil {
			t.Fatal(err)
		}
		b.Write("lamp.go", "package harbour\n\nfunc LightLamp() {}\n")
		r := b.Ask("LightLamp", access.Where{Project: "web"}, refresh)
		b.Fresh.Idle()
		p, err := b.Record(t.Context(), "web")
		if err != nil || len(r.Results) != 1 || p.Model.Embedder != (embed.None{}).Name() || p.Next.Exists() {
			t.Errorf("%d results; the index is now %+v, %v", len(r.Results), p, err)
		}
		if _, err := b.In.Refresh(t.Context(), ingest.Request{Project: "web", Root: b.Root}); err != nil {
			t.Fatal(err)
		}
		if p, err = b.Record(t.Context(), "web"); err != nil || p.Model.Embedder != b.Options.Embedders.Chosen().Name() {
			t.Errorf("after a refresh that is no question: %+v, %v", p, err)
		}
	}
}
