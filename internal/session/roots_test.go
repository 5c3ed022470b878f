package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/search"
)

// onBoth runs a test on both backings, each with a root and a further one whose gate.go differs.
func onBoth(t *testing.T, test func(b *bed, one, two retrieve.Where)) {
	for name, change := range map[string]func(*testing.T, *Options){
		"embedded": func(*testing.T, *Options) {},
		"redis":    useRedis,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, func(o *Options) { change(t, o) })
			clone := b.clone("func OpenGate() { lowerTheBridge() }")
			test(b, retrieve.Where{Project: "web", Root: b.root}, retrieve.Where{Project: "web", Root: clone})
		})
	}
}

func useRedis(t *testing.T, o *Options) { openOn(t, rdbtest.Start(t, rdbtest.Search), o) }

// openOn opens the backing of o on server, in place of the embedded one.
func openOn(t *testing.T, server *rdbtest.Server, o *Options) {
	t.Helper()
	back, err := backend.Open(backend.Options{StateDir: o.StateDir, Redis: server.URL, Prefix: server.Prefix})
	if err != nil {
		t.Fatal(err)
	}
	_ = o.Backend.Close()
	o.Backend, o.Ingester = back, ingest.New(back.Index, ingest.Options{Embedder: o.Embedder})
}

// clone makes a further root.
func (b *bed) clone(line string) (root string) {
	b.t.Helper()
	root = filepath.Join(filepath.Dir(b.root), "clone")
	if err := os.MkdirAll(root, 0o755); err != nil {
		b.t.Fatal(err)
	}
	b.put(root, line)
	return root
}

// put writes gate.go of a root.
func (b *bed) put(root, line string) {
	b.t.Helper()
	text := "package harbour\n\n// OpenGate lets ships in.\n" + line + "\n"
	if err := os.WriteFile(filepath.Join(root, "gate.go"), []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// index brings a root up to date, as "indexer index" does.
func (b *bed) index(w retrieve.Where) search.Project {
	b.t.Helper()
	t := b.TargetOf(b.t.Context(), w.Project, w.Root)
	rep, err := b.opts.Ingester.Refresh(b.t.Context(), ingest.Request{Project: t.IndexID(), Root: w.Root})
	if err != nil {
		b.t.Fatal(err)
	}
	return rep.Project
}

// says asks a root and checks that it answers with its own text and no other.
func (b *bed) says(w retrieve.Where, want, never string) {
	b.t.Helper()
	r := b.ask("OpenGate", w, Never)
	if r.Status != retrieve.OK || r.Project != w.Project || r.Root != w.Root || len(r.Results) != 1 {
		b.t.Fatalf("%s: %+v", w.Root, r)
	}
	if text := r.Results[0].Snippet; !strings.Contains(text, want) || strings.Contains(text, never) || r.Results[0].Freshness != "indexed" {
		b.t.Errorf("%s answers %q, want %q in it", w.Root, text, want)
	}
}

func TestEachRootOfAProjectAnswersWithItsOwnText(t *testing.T) {
	t.Parallel()
	onBoth(t, func(b *bed, one, two retrieve.Where) {
		b.index(one)
		if r := b.ask("OpenGate", two, Never); r.Status != retrieve.Degraded || !slices.Contains(r.Reasons, retrieve.IndexMissing) || len(r.Results) > 0 {
			b.t.Errorf("a root that is not indexed yet: %s %v", r.Status, r.Reasons)
		}
		b.index(two)
		b.says(one, "{}", "lowerTheBridge")
		b.says(two, "lowerTheBridge", "{}")
		b.put(one.Root, "func OpenGate() { ringTheBell() }")
		first := b.index(one)
		if second := b.index(two); second.Generation != 1 || first.Generation != 2 {
			b.t.Errorf("generations %d and %d after a change of the first root", first.Generation, second.Generation)
		}
		b.says(one, "ringTheBell", "lowerTheBridge")
		b.says(two, "lowerTheBridge", "ringTheBell")
		states, err := b.Backend().Projects(b.t.Context(), "web")
		if err != nil || len(states) != 2 || states[0].Root != one.Root || states[1].Root != two.Root || states[1].ProjectID() != "web" {
			b.t.Errorf("the roots of the project: %+v, %v", states, err)
		}
	})
}

func TestAlternatingRootsReindexesNothing(t *testing.T) {
	t.Parallel()
	onBoth(t, func(b *bed, one, two retrieve.Where) {
		records := []search.Project{b.index(one), b.index(two)}
		for range 20 {
			for i, w := range []retrieve.Where{one, two} {
				r := b.ask("OpenGate", w, First)
				if r.Status != retrieve.OK || r.Generation != 1 {
					b.t.Fatalf("%s: %+v", w.Root, r)
				}
				p, err := b.record(b.t.Context(), records[i].ID)
				if err != nil || p.Epoch != records[i].Epoch || p.Generation != 1 || p.Root != w.Root {
					b.t.Fatalf("%s: %+v, %v; was %+v", w.Root, p, err, records[i])
				}
			}
		}
	})
}

func TestTheRootsOfAProjectShareWhatIsRemembered(t *testing.T) {
	t.Parallel()
	onBoth(t, func(b *bed, one, two retrieve.Where) {
		b.index(one)
		b.index(two)
		h, err := b.History()
		if err != nil {
			b.t.Fatal(err)
		}
		m, err := b.Memory()
		if err != nil {
			b.t.Fatal(err)
		}
		// What an agent in the second root writes is under the project that its question resolves to.
		t := b.resolved(two)
		if _, err := h.Block(b.t.Context(), t.Project, history.Blocker{ID: "crane", Reason: "the crane is stuck"}); err != nil {
			b.t.Fatal(err)
		}
		note := memory.Draft{Kind: "decision", Scope: "project", Content: "Ships of over forty metres wait for the tide."}
		if _, err := m.Save(b.t.Context(), memory.Who{Agent: "a", Project: t.Project}, note); err != nil {
			b.t.Fatal(err)
		}
		t = b.resolved(one)
		if state, err := h.Load(b.t.Context(), t.Project); err != nil || len(state.Blockers) != 1 {
			b.t.Errorf("blockers %+v, %v", state.Blockers, err)
		}
		items, err := m.List(b.t.Context(), memory.Who{Agent: "b", Project: t.Project}, memory.Filter{})
		if err != nil || len(items) != 1 || items[0].Content != note.Content {
			b.t.Errorf("items %+v, %v", items, err)
		}
	})
}

// far is an embedder that counts what a server would be asked.
type far struct {
	embed.Embedder
	texts, probes atomic.Int64
}

func (f *far) Ready() error { return nil }
func (f *far) Calls() int   { return 2 }

func (f *far) Probe(context.Context) error {
	f.probes.Add(1)
	return nil
}

func (f *far) Documents(ctx context.Context, texts []embed.Text) ([][]float32, error) {
	f.texts.Add(int64(len(texts)))
	return f.Embedder.Documents(ctx, texts)
}

func TestAFurtherRootEmbedsOnlyWhatDiffers(t *testing.T) {
	t.Parallel()
	onBoth(t, func(b *bed, one, two retrieve.Where) {
		f := &far{Embedder: b.opts.Embedder}
		b.opts.Ingester = ingest.New(b.store.Index, ingest.Options{Embedder: f}).WithVectors(b.store.Vectors())
		long := func(last string) string {
			var text strings.Builder
			text.WriteString("package harbour\n")
			for i := range 40 {
				fmt.Fprintf(&text, "\n// Berth%d is a place for ships, where they are moored until the tide is high again.\nfunc Berth%d() int {\n\treturn %d\n}\n", i, i, i)
			}
			return text.String() + last
		}
		for i := range 3 {
			b.write(fmt.Sprintf("berths%d.go", i), long(""))
		}
		copyAll := func(to string) {
			if err := os.CopyFS(to, os.DirFS(b.root)); err != nil {
				b.t.Fatal(err)
			}
		}
		if err := os.RemoveAll(two.Root); err != nil {
			b.t.Fatal(err)
		}
		p := b.index(one)
		if n := f.texts.Load(); n != int64(p.Chunks) || n < 6 {
			b.t.Fatalf("%d texts embedded for %d chunks", n, p.Chunks)
		}
		copyAll(two.Root)
		again := b.index(two)
		if n := f.texts.Load() - int64(p.Chunks); n != 0 || again.Chunks != p.Chunks || again.Model != p.Model {
			b.t.Errorf("the same files: %d texts embedded, %+v", n, again)
		}
		before := f.texts.Load()
		if err := os.WriteFile(filepath.Join(two.Root, "berths1.go"), []byte(long("\n// Crane lifts what ships bring, and is stuck.\nfunc Crane() {}\n")), 0o644); err != nil {
			b.t.Fatal(err)
		}
		b.index(two)
		if n := f.texts.Load() - before; n != 1 && n != 2 {
			b.t.Errorf("one function more: %d texts embedded", n)
		}
		before = f.texts.Load()
		other := retrieve.Where{Project: "other", Root: filepath.Join(filepath.Dir(b.root), "other")}
		copyAll(other.Root)
		if b.index(other); f.texts.Load() != before {
			b.t.Errorf("another project with the same files: %d texts embedded", f.texts.Load()-before)
		}
		for _, r := range []*retrieve.Reply{b.ask("Crane", one, Never), b.ask("Crane", other, Never)} {
			if r.Status == retrieve.OK && strings.Contains(r.Results[0].Snippet, "Crane") {
				b.t.Errorf("%s tells of a function of %s: %+v", r.Root, two.Root, r.Results)
			}
		}
	})
}

func (b *bed) resolved(w retrieve.Where) retrieve.Target {
	b.t.Helper()
	t, fault, err := b.Resolve(b.t.Context(), w, 10*time.Second)
	if err != nil || fault != nil {
		b.t.Fatal(err, fault)
	}
	return t
}
