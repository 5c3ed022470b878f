package app_test

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

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/app/apptest"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/freshness"
	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/retrieve"
)

// says asks a root and checks that it answers with its own text and no other.
func says(b *apptest.Bed, w access.Where, want, never string) {
	b.T.Helper()
	r := b.Ask("OpenGate", w, freshness.Never)
	if r.Status != retrieve.OK || r.Project != w.Project || r.Root != w.Root || len(r.Results) != 1 {
		b.T.Fatalf("%s: %+v", w.Root, r)
	}
	if text := r.Results[0].Snippet; !strings.Contains(text, want) || strings.Contains(text, never) ||
		r.Results[0].Freshness != "indexed" {
		b.T.Errorf("%s answers %q, want %q in it", w.Root, text, want)
	}
}

func TestEachRootOfAProjectAnswersWithItsOwnText(t *testing.T) {
	t.Parallel()
	apptest.OnBoth(t, func(b *apptest.Bed, one, two access.Where) {
		b.Reindex(one)
		if r := b.Ask("OpenGate", two, freshness.Never); r.Status != retrieve.Degraded ||
			!slices.Contains(r.Reasons, retrieve.IndexMissing) || len(r.Results) > 0 {
			b.T.Errorf("a root that is not indexed yet: %s %v", r.Status, r.Reasons)
		}
		b.Reindex(two)
		says(b, one, "{}", "lowerTheBridge")
		says(b, two, "lowerTheBridge", "{}")
		b.Put(one.Root, "func OpenGate() { ringTheBell() }")
		first := b.Reindex(one)
		if second := b.Reindex(two); second.Generation != 1 || first.Generation != 2 {
			b.T.Errorf("generations %d and %d after a change of the first root", first.Generation, second.Generation)
		}
		says(b, one, "ringTheBell", "lowerTheBridge")
		says(b, two, "lowerTheBridge", "ringTheBell")
		states, err := b.Backend.Projects(b.T.Context(), "web")
		if err != nil || len(states) != 2 || states[0].Root != one.Root || states[1].Root != two.Root ||
			states[1].ProjectID() != "web" {
			b.T.Errorf("the roots of the project: %+v, %v", states, err)
		}
	})
}

func TestTheRootsOfAProjectShareWhatIsRemembered(t *testing.T) {
	t.Parallel()
	apptest.OnBoth(t, func(b *apptest.Bed, one, two access.Where) {
		b.Reindex(one)
		b.Reindex(two)
		h, err := b.History()
		if err != nil {
			b.T.Fatal(err)
		}
		m, err := b.Memory()
		if err != nil {
			b.T.Fatal(err)
		}
		// What an agent in the second root writes is under the project that its question resolves to.
		t := resolved(b, two)
		if _, err := h.Block(b.T.Context(), t.Project,
			history.Blocker{ID: "crane", Reason: "the crane is stuck"}); err != nil {
			b.T.Fatal(err)
		}
		note := memory.Draft{Kind: "decision", Scope: "project",
			Content: "Ships of over forty metres wait for the tide."}
		if _, err := m.Save(b.T.Context(), memory.Who{Agent: "a", Project: t.Project}, note); err != nil {
			b.T.Fatal(err)
		}
		t = resolved(b, one)
		if state, err := h.Load(b.T.Context(), t.Project); err != nil || len(state.Blockers) != 1 {
			b.T.Errorf("blockers %+v, %v", state.Blockers, err)
		}
		items, err := m.List(b.T.Context(), memory.Who{Agent: "b", Project: t.Project}, memory.Filter{})
		if err != nil || len(items) != 1 || items[0].Content != note.Content {
			b.T.Errorf("items %+v, %v", items, err)
		}
	})
}

// far is an embedder that counts what a server would be asked.
type far struct {
	embed.Embedder
	texts, probes atomic.Int64
}

func (f *far) Ready() error { return nil }

func (f *far) Calls() int { return 2 }

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
	apptest.OnBoth(t, func(b *apptest.Bed, one, two access.Where) {
		f := &far{Embedder: b.Options.Embedders.Chosen()}
		b.In = ingest.New(b.Backend.Index, ingest.Options{Embedder: f}).WithVectors(b.Backend.Vectors())
		long := func(last string) string {
			var text strings.Builder
			text.WriteString("package harbour\n")
			for i := range 40 {
				fmt.Fprintf(&text,
					"\n// Berth%d is a place for ships, where they are moored until the tide is high again.\nfunc Berth%d() int {\n\treturn %d\n}\n", i, i, i)
			}
			return text.String() + last
		}
		for i := range 3 {
			b.Write(fmt.Sprintf("berths%d.go", i), long(""))
		}
		copyAll := func(to string) {
			if err := os.CopyFS(to, os.DirFS(b.Root)); err != nil {
				b.T.Fatal(err)
			}
		}
		if err := os.RemoveAll(two.Root); err != nil {
			b.T.Fatal(err)
		}
		p := b.Reindex(one)
		if n := f.texts.Load(); n != int64(p.Chunks) || n < 6 {
			b.T.Fatalf("%d texts embedded for %d chunks", n, p.Chunks)
		}
		copyAll(two.Root)
		again := b.Reindex(two)
		if n := f.texts.Load() - int64(p.Chunks); n != 0 || again.Chunks != p.Chunks || again.Model != p.Model {
			b.T.Errorf("the same files: %d texts embedded, %+v", n, again)
		}
		before := f.texts.Load()
		if err := os.WriteFile(filepath.Join(two.Root, "berths1.go"),
			[]byte(long("\n// Crane lifts what ships bring, and is stuck.\nfunc Crane() {}\n")), 0o644); err != nil {
			b.T.Fatal(err)
		}
		b.Reindex(two)
		if n := f.texts.Load() - before; n != 1 && n != 2 {
			b.T.Errorf("one function more: %d texts embedded", n)
		}
		before = f.texts.Load()
		other := access.Where{Project: "other", Root: filepath.Join(filepath.Dir(b.Root), "other")}
		copyAll(other.Root)
		if b.Reindex(other); f.texts.Load() != before {
			b.T.Errorf("another project with the same files: %d texts embedded", f.texts.Load()-before)
		}
		for _, r := range []*retrieve.Reply{
			b.Ask("Crane", one, freshness.Never), b.Ask("Crane", other, freshness.Never),
		} {
			if r.Status == retrieve.OK && strings.Contains(r.Results[0].Snippet, "Crane") {
				b.T.Errorf("%s tells of a function of %s: %+v", r.Root, two.Root, r.Results)
			}
		}
	})
}

func resolved(b *apptest.Bed, w access.Where) access.Target {
	b.T.Helper()
	t, fault, err := b.Access.Resolve(b.T.Context(), w, 10*time.Second)
	if err != nil || fault != nil {
		b.T.Fatal(err, fault)
	}
	return t
}
