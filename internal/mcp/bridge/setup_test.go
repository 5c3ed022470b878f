package bridge

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/embed/registry"
	"github.com/contextd/contextd/internal/embed/static"
	"github.com/contextd/contextd/internal/freshness"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/mcp"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/workspace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bed is a bridge for the folder dir over a real embedded store.
type bed struct {
	*Bridge
	t   *testing.T
	top string // a real path; dir lies in it
	dir string
	app *app.App
}

// setup makes a bridge that was started in the folder dir below top, with sources: paths below top and their text.
func setup(t *testing.T, dir string, sources map[string]string) *bed {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bed{t: t, top: top, dir: filepath.Join(top, dir)}
	for name, text := range sources {
		b.write(name, text)
	}
	state := filepath.Join(top, "state")
	back, err := backend.Open(backend.Options{StateDir: state})
	if err != nil {
		t.Fatal(err)
	}
	e, err := static.Default()
	if err != nil {
		t.Fatal(err)
	}
	find := func(context.Context) (workspace.Found, error) { return workspace.Find(b.dir, "", nil) }
	f, err := find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.app = app.New(app.Options{Backend: back, StateDir: state, Embedders: registry.New(e),
		Ingester: ingest.New(back.Index, ingest.Options{Embedder: e}), AllowRoots: []string{f.Base}, Strict: true})
	b.Bridge = New(Options{Agent: "mcp", Refresh: freshness.First, Open: func(context.Context) (*Place, error) {
		return &Place{App: b.app, Roots: find}, nil
	}})
	t.Cleanup(func() {
		b.Close()
		if err := b.app.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// write makes a file below the top.
func (b *bed) write(name, text string) {
	b.t.Helper()
	path := filepath.Join(b.top, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// ask is a search with the usual limits.
func (b *bed) ask(text, root, path string) (*mcp.Found, error) {
	return b.Search(b.t.Context(),
		mcp.Question{Text: text, Root: root, Path: path, K: 3, MaxChars: 1000, MaxBytes: 3000})
}

// paths are the results of a search that must succeed, each behind its root below the top.
func (b *bed) paths(text, root, path string) (all []string) {
	b.t.Helper()
	f, err := b.ask(text, root, path)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, r := range f.Replies {
		for _, x := range r.Results {
			rel, err := filepath.Rel(b.top, r.Root)
			if err != nil {
				b.t.Fatal(err)
			}
			all = append(all, filepath.ToSlash(filepath.Join(rel, x.Path)))
		}
	}
	return all
}

var errNotAllowed = sandbox.ErrNotAllowed
