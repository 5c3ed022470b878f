package session

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/assemble"
	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/embed/registry"
	"github.com/contextd/contextd/internal/embed/static"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bed is a session over a real embedded store, and a root.
type bed struct {
	*Session
	t     *testing.T
	root  string
	state string
}

func setup(t *testing.T, change ...func(*Options)) *bed {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bed{t: t, root: filepath.Join(dir, "tree"), state: filepath.Join(dir, "state")}
	b.write("gate.go", "package harbour\n\n// OpenGate lets ships in.\nfunc OpenGate() {}\n")
	back, err := backend.Open(backend.Options{StateDir: b.state})
	if err != nil {
		t.Fatal(err)
	}
	e, err := static.Default()
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Backend: back, StateDir: b.state, Embedders: registry.New(e), Ingester: ingest.New(back.Index, ingest.Options{Embedder: e}), Log: slog.New(slog.DiscardHandler)}
	for _, f := range change {
		f(&o)
	}
	b.Session = New(o)
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func (b *bed) write(name, text string) {
	b.t.Helper()
	path := filepath.Join(b.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bed) ask(text string, w access.Where, bring Bring) *retrieve.Reply {
	b.t.Helper()
	r, err := b.Query(b.t.Context(), retrieve.Request{Text: text, Deadline: 20 * time.Second, Gates: gates.Options{}}, w, bring, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

func TestFirstIndexesBeforeItAnswersAndNeverDoesNot(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := access.Where{Root: b.root}
	if r := b.ask("OpenGate", w, Never); r.Status != retrieve.Degraded || r.Reasons[0] != retrieve.IndexMissing {
		t.Errorf("never: %+v", r)
	}
	if r := b.ask("OpenGate", w, First); r.Status != retrieve.OK || len(r.Results) != 1 {
		t.Errorf("first: %+v", r)
	}
}

// Behind answers from what is there: of a file that came since, nothing until the run behind is through.
func TestBehindWaitsForTheFirstGenerationOnly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := access.Where{Root: b.root}
	if r := b.ask("OpenGate", w, Behind); r.Status != retrieve.OK || r.Generation != 1 {
		t.Errorf("first generation: %+v", r)
	}
	target := access.Target{Project: code.DefaultProjectID(b.root), Root: b.root}
	b.runs.Wait()
	b.mu.Lock()
	rest := b.next[target.Project].after
	b.mu.Unlock()
	if rest.IsZero() {
		t.Error("no rest after a run")
	}
	b.write("lamp.go", "package harbour\n\n// LightLamp lights the lamp.\nfunc LightLamp() {}\n")
	if !b.Start(target, true) {
		t.Error("a change that is known starts no run")
	}
	b.runs.Wait()
	if r := b.ask("LightLamp", w, Never); len(r.Results) != 1 || r.Generation != 2 {
		t.Errorf("after the run: %+v", r)
	}
}

func TestStrictSessionsReadWhatIsIndexedOnly(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *Options) { o.Strict = true })
	w := access.Where{Root: b.root}
	if _, err := b.Query(t.Context(), retrieve.Request{Text: "x"}, w, Behind, nil); !errors.Is(err, sandbox.ErrNotAllowed) {
		t.Errorf("a root that nobody indexed: %v", err)
	}
	if _, err := b.Confine(t.Context(), b.root); !errors.Is(err, sandbox.ErrNotAllowed) {
		t.Errorf("confine: %v", err)
	}
	if _, err := b.opts.Ingester.Refresh(t.Context(), ingest.Request{Project: "web", Root: b.root}); err != nil {
		t.Fatal(err)
	}
	if r := b.ask("OpenGate", w, Behind); r.Status != retrieve.OK {
		t.Errorf("an indexed root: %+v", r)
	}
	if b.Start(access.Target{Project: "web", Root: b.root}, true) {
		t.Error("it indexes without an allowed root")
	}
	if _, err := b.Why(t.Context(), access.Where{Root: t.TempDir()}, "x"); !errors.Is(err, sandbox.ErrNotAllowed) {
		t.Errorf("why elsewhere: %v", err)
	}
}

func TestUnknownProjectsHaveNoRoot(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if got, fault, err := b.Resolve(t.Context(), access.Where{Project: "none"}, time.Second); err != nil || fault != nil || !got.Foreign || got.Root != "" || got.Project != "none" {
		t.Errorf("%+v, %v, %v", got, fault, err)
	}
	if _, _, err := b.Resolve(t.Context(), access.Where{Project: "-"}, time.Second); err == nil {
		t.Error("a bad id is taken")
	}
}

// A closed session starts nothing.
func TestCloseEndsRuns(t *testing.T) {
	t.Parallel()
	b := setup(t)
	target := access.Target{Project: "web", Root: b.root}
	if !b.Start(target, false) {
		t.Fatal("no run")
	}
	b.mu.Lock()
	b.shut = true
	b.mu.Unlock()
	b.stop()
	b.runs.Wait()
	if b.Start(target, true) {
		t.Error("a run after the end")
	}
}

// A change that comes in the midst of a run is followed by another run.
func TestARunIsFollowedByAnotherWhereSomethingCameMeanwhile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	target := access.Target{Project: "web", Root: b.root}
	b.mu.Lock()
	b.next["web"] = pace{running: true}
	b.mu.Unlock()
	again := func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.next["web"].again
	}
	if !b.Start(target, false) || again() {
		t.Error("a question asks for another run")
	}
	if !b.Start(target, true) || !again() {
		t.Error("a change does not ask for another run")
	}
	if !b.run(target) {
		t.Error("the run is not followed by another")
	}
	if b.run(target) {
		t.Error("that one is followed by a third")
	}
	if b.Start(target, false) {
		t.Error("no rest after a run")
	}
}

func TestCitationsAreCheckedByTheIndex(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.ask("x", access.Where{Project: "web", Root: b.root}, First)
	m, err := b.Memory()
	if err != nil {
		t.Fatal(err)
	}
	who := memory.Who{Agent: "a", Project: "web"}
	saved, err := m.Save(t.Context(), who, memory.Draft{Kind: "decision", Content: "The gate opens at dawn", Citations: []memory.Citation{{Path: "gate.go"}}})
	if err != nil || saved.Item.Citations[0].Hash == "" {
		t.Fatalf("%+v, %v", saved, err)
	}
	b.write("gate.go", "package harbour\n\n// OpenGate lets ships out.\nfunc OpenGate() {}\n")
	b.ask("x", access.Where{Project: "web", Root: b.root}, First)
	items, err := m.Load(t.Context(), who)
	if err != nil || len(items) != 1 || !items[0].Verify {
		t.Errorf("%+v, %v", items, err)
	}
	b.index(access.Where{Project: "web", Root: b.clone("func OpenGate() {}")})
	if items, err = m.Load(t.Context(), who); err != nil || len(items) != 1 || items[0].Verify {
		t.Errorf("a further root holds the file as it was cited: %+v, %v", items, err)
	}
	if _, err := new(search.FileHashes).Hashes(t.Context(), "", []string{"x"}); err == nil {
		t.Error("hashes of no project")
	}
}

// Where what is remembered cannot be opened, a context comes without it and says so.
func TestNoStoreOfDocumentsBlocksNoPrompt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if err := os.MkdirAll(filepath.Join(b.state, "documents.db"), 0o700); err != nil { // a folder in the place of the file
		t.Fatal(err)
	}
	reply, err := b.Assembler(Never, nil).Build(t.Context(), assemble.Request{Project: "web", Query: "how do ships come in", DeadlineMS: 20_000})
	if err != nil || reply.Status != assemble.Degraded || len(reply.Messages) == 0 {
		t.Errorf("%+v, %v", reply, err)
	}
}

// A daemon that died in its tracks, or is only about to index, keeps no answer from telling of what was written since.
func TestNothingRelevantIsSaidOnlyAfterTheDiskWasCompared(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		watched bool
		bring   Bring
		found   bool // else it is said that something may be missing
	}{
		{"watched, command", true, First, false},
		{"watched, server", true, Behind, false},
		{"may be served, command", false, First, true},
		{"may be served, server", false, Behind, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			w := access.Where{Root: b.root}
			b.ask("OpenGate", w, First)
			var watched []string
			if tt.watched {
				watched = []string{b.root}
			}
			hold, err := backend.Hold(t.Context(), b.state, b.store.Self([]string{filepath.Dir(b.root)}, watched))
			if err != nil {
				t.Fatal(err)
			}
			defer hold.Release()
			if r := b.ask("DrownTheWhale", w, tt.bring); r.Status != retrieve.Empty {
				t.Errorf("nothing has changed: %s %v", r.Status, r.Reasons)
			}
			b.write("whale.go", "package harbour\n\nfunc DrownTheWhale() {}\n")
			r := b.ask("DrownTheWhale", w, tt.bring)
			waits := len(r.Reasons) == 1 && r.Reasons[0] == retrieve.ChangesWaiting && r.Status == retrieve.Degraded
			if found := r.Status == retrieve.OK && len(r.Results) == 1; found != tt.found || !found && !waits {
				t.Errorf("after a write: %s %v, %d results", r.Status, r.Reasons, len(r.Results))
			}
		})
	}
}

// Whatever the settings of a question are, it brings an index up to date as it is; "index" and the daemon make another of it.
func TestAQuestionLeavesAnIndexWithItsEmbedder(t *testing.T) {
	t.Parallel()
	for _, bring := range []Bring{First, Behind} {
		b := setup(t)
		words := ingest.New(b.store.Index, ingest.Options{})
		if _, err := words.Refresh(t.Context(), ingest.Request{Project: "web", Root: b.root}); err != nil {
			t.Fatal(err)
		}
		b.write("lamp.go", "package harbour\n\nfunc LightLamp() {}\n")
		r := b.ask("LightLamp", access.Where{Project: "web"}, bring)
		b.runs.Wait()
		p, err := b.record(t.Context(), "web")
		if err != nil || len(r.Results) != 1 || p.Model.Embedder != (embed.None{}).Name() || p.Next.Exists() {
			t.Errorf("%d results; the index is now %+v, %v", len(r.Results), p, err)
		}
		if _, err := b.opts.Ingester.Refresh(t.Context(), ingest.Request{Project: "web", Root: b.root}); err != nil {
			t.Fatal(err)
		}
		if p, err = b.record(t.Context(), "web"); err != nil || p.Model.Embedder != b.opts.Embedders.Chosen().Name() {
			t.Errorf("after a refresh that is no question: %+v, %v", p, err)
		}
	}
}
