package app_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/app/apptest"
	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/embed/registry"
	"github.com/contextd/contextd/internal/embed/static"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/search"
)

// asked counts what an index and an embedder are asked for.
type asked struct{ projects, snapshots, questions atomic.Int32 }

type askedIndex struct {
	search.Index
	n *asked
}

func (x askedIndex) Projects(ctx context.Context) ([]search.Project, error) {
	x.n.projects.Add(1)
	return x.Index.Projects(ctx)
}

func (x askedIndex) Open(ctx context.Context, project string) (search.Snapshot, error) {
	x.n.snapshots.Add(1)
	return x.Index.Open(ctx, project)
}

type askedEmbedder struct {
	embed.Embedder
	n *asked
}

func (e askedEmbedder) Query(ctx context.Context, text string) ([]float32, error) {
	e.n.questions.Add(1)
	return e.Embedder.Query(ctx, text)
}

func TestAPromptThatNamesFilesAsksOnce(t *testing.T) {
	for _, name := range []string{"embedded", "redis"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var n asked
			b := apptest.Open(t, func(o *app.Options) {
				if name == "redis" {
					server := rdbtest.Start(t, rdbtest.Search)
					if err := o.Backend.Close(); err != nil {
						t.Fatal(err)
					}
					var err error
					if o.Backend, err = backend.Open(backend.Options{StateDir: o.StateDir, Redis: server.URL,
						Prefix: server.Prefix, Deadline: 10 * time.Second}); err != nil {
						t.Fatal(err)
					}
				}
				e, err := static.Default()
				if err != nil {
					t.Fatal(err)
				}
				o.Embedders = registry.New(askedEmbedder{e, &n})
				o.Backend.Index = askedIndex{o.Backend.Index, &n}
				o.Ingester = ingest.New(o.Backend.Index, ingest.Options{Embedder: e})
			})
			b.Write("quay/lamp.go", "package quay\n\n// trim cuts a wick.\nfunc trim() {}\n")
			if _, err := b.In.Refresh(t.Context(), ingest.Request{Project: "web", Root: b.Root}); err != nil {
				t.Fatal(err)
			}
			a := b.Prompts()
			n.projects.Store(0)
			n.snapshots.Store(0)
			task := &prompt.Task{Mode: "implement", Task: compile.Task{ID: "1", Title: "Open the gate for ships",
				FileOperations: []compile.FileOperation{{Op: "modify", Path: "lamp.go"}}}}
			r, err := a.Build(t.Context(),
				prompt.Request{Project: "web", AgentKind: "knight", Task: task, DeadlineMS: 20_000})
			if err != nil || r.Status != prompt.OK {
				t.Fatalf("%+v, %v", r, err)
			}
			account, err := a.Receipt(t.Context(), r.ID)
			if err != nil {
				t.Fatal(err)
			}
			found := map[string]bool{}
			for _, l := range account.Items {
				found[l.ID] = l.Hash != ""
			}
			if !found["code:gate.go#OpenGate"] || !found["code:quay/lamp.go#trim"] {
				t.Errorf("found %v, want the gate and the lamp that is named", found)
			}
			if p, s, q := n.projects.Load(), n.snapshots.Load(), n.questions.Load(); p != 1 || s != 1 || q != 1 {
				t.Errorf("projects listed %d times, %d snapshots opened, %d questions embedded; want 1 each", p, s, q)
			}
		})
	}
}
