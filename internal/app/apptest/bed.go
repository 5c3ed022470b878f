// Package apptest opens an app for tests: over a real store of either backing, with a small tree to ask about.
package apptest

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/embed/registry"
	"github.com/contextd/contextd/internal/embed/static"
	"github.com/contextd/contextd/internal/freshness"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/search"
)

// Bed is an app over a real store, and a root with one file, gate.go.
type Bed struct {
	*app.App
	T       *testing.T
	Root    string
	State   string           // directory of the state
	In      *ingest.Ingester // as the app has it
	Options app.Options
}

// Open opens an app on the embedded store, or on what change makes of its options.
func Open(t *testing.T, change ...func(*app.Options)) *Bed {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &Bed{T: t, Root: filepath.Join(dir, "tree"), State: filepath.Join(dir, "state")}
	b.Write("gate.go", "package harbour\n\n// OpenGate lets ships in.\nfunc OpenGate() {}\n")
	back, err := backend.Open(backend.Options{StateDir: b.State})
	if err != nil {
		t.Fatal(err)
	}
	e, err := static.Default()
	if err != nil {
		t.Fatal(err)
	}
	b.Options = app.Options{Backend: back, StateDir: b.State, Embedders: registry.New(e),
		Ingester: ingest.New(back.Index, ingest.Options{Embedder: e}), Log: slog.New(slog.DiscardHandler)}
	for _, f := range change {
		f(&b.Options)
	}
	b.App, b.In = app.New(b.Options), b.Options.Ingester
	if allowed := b.Access.Allowed(); allowed != nil {
		b.In = b.In.WithAllowedRoots(allowed)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// OpenOn opens the backing of o on server, in place of the embedded one.
func OpenOn(t *testing.T, server *rdbtest.Server, o *app.Options) {
	t.Helper()
	back, err := backend.Open(backend.Options{StateDir: o.StateDir, Redis: server.URL, Prefix: server.Prefix})
	if err != nil {
		t.Fatal(err)
	}
	_ = o.Backend.Close()
	o.Backend, o.Ingester = back, ingest.New(back.Index, ingest.Options{Embedder: o.Embedders.Chosen()})
}

// OnBoth runs a test on both backings, each with a root and a further one whose gate.go differs.
func OnBoth(t *testing.T, test func(b *Bed, one, two access.Where)) {
	for name, change := range map[string]func(*testing.T, *app.Options){
		"embedded": func(*testing.T, *app.Options) {},
		"redis":    func(t *testing.T, o *app.Options) { OpenOn(t, rdbtest.Start(t, rdbtest.Search), o) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := Open(t, func(o *app.Options) { change(t, o) })
			clone := b.Clone("func OpenGate() { lowerTheBridge() }")
			test(b, access.Where{Project: "web", Root: b.Root}, access.Where{Project: "web", Root: clone})
		})
	}
}

// Write writes a file of the root.
func (b *Bed) Write(name, text string) {
	b.T.Helper()
	path := filepath.Join(b.Root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.T.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.T.Fatal(err)
	}
}

// Clone makes a further root, whose gate.go ends with a line.
func (b *Bed) Clone(line string) (root string) {
	b.T.Helper()
	root = filepath.Join(filepath.Dir(b.Root), "clone")
	if err := os.MkdirAll(root, 0o755); err != nil {
		b.T.Fatal(err)
	}
	b.Put(root, line)
	return root
}

// Put writes gate.go of a root.
func (b *Bed) Put(root, line string) {
	b.T.Helper()
	text := "package harbour\n\n// OpenGate lets ships in.\n" + line + "\n"
	if err := os.WriteFile(filepath.Join(root, "gate.go"), []byte(text), 0o644); err != nil {
		b.T.Fatal(err)
	}
}

// Ask asks a question, with time enough for a slow machine.
func (b *Bed) Ask(text string, w access.Where, bring freshness.When) *retrieve.Reply {
	b.T.Helper()
	r, err := b.Answers.Query(b.T.Context(), retrieve.Request{Text: text, Deadline: 20 * time.Second}, w, bring, nil)
	if err != nil {
		b.T.Fatal(err)
	}
	return r
}

// Reindex brings a root up to date, as "indexer index" does.
func (b *Bed) Reindex(w access.Where) search.Project {
	b.T.Helper()
	t := b.Access.TargetOf(b.T.Context(), w.Project, w.Root)
	rep, err := b.In.Refresh(b.T.Context(), ingest.Request{Project: t.IndexID(), Root: w.Root})
	if err != nil {
		b.T.Fatal(err)
	}
	return rep.Project
}

// Record is what the index knows of a project.
func (b *Bed) Record(ctx context.Context, project string) (search.Project, error) {
	snap, err := b.Backend.Index.Open(ctx, project)
	if err != nil {
		return search.Project{}, err
	}
	p := snap.Project()
	return p, snap.Close()
}
