package prompt

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/embed/registry"
	"github.com/contextd/contextd/internal/embed/static"
	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/search/local"
	"github.com/contextd/contextd/internal/store"
	"github.com/contextd/contextd/internal/store/sqlite"
	"github.com/contextd/contextd/internal/usage"
)

// bench is an Assembler over real embedded stores and an indexed tree.
type bench struct {
	*Assembler
	t     testing.TB
	root  string
	index search.Index
	mu    sync.Mutex // guards clock
	clock time.Time
}

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func (b *bench) now() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.clock
}

func (b *bench) later(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clock = b.clock.Add(d)
}

// harbour is the tree of the tests.
var harbour = map[string]string{
	"auth/session.go": `package auth

// Drop deletes all sessions of a user.
func (s *Store) Drop(user string) error {
	return s.db.Exec("delete from sessions where user = ?", user)
}

// Touch moves the expiry of a session.
func (s *Store) Touch(id string) error {
	return s.db.Exec("update sessions set seen = now() where id = ?", id)
}
`,
	"auth/user.go": `package auth

// DeleteUser removes a user for good.
func DeleteUser(db *DB, name string) error {
	return db.Exec("delete from users where name = ?", name)
}
`,
	"auth/session_test.go": `package auth

func TestDropDeletesSessions(t *testing.T) {
	s := open(t)
	if err := s.Drop("ann"); err != nil {
		t.Fatal(err)
	}
}
`,
	"lamp/keeper.py": "def light_lamp(lamp):\n    # paraffin burns slowly\n    return lamp.light('paraffin')\n",
	"docs/tides.md":  "# Tides\n\nThe tide table is printed every spring.\n",
}

func setup(t testing.TB, files map[string]string) *bench {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, root)
	b.write(files)
	b.refresh()
	return b
}

// open makes a bench over a tree that is not indexed yet.
func open(t testing.TB, root string) *bench {
	t.Helper()
	dir := t.TempDir()
	index, err := local.Open(local.Options{Dir: filepath.Join(dir, "projects")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { index.Close() })
	docs, err := sqlite.Open(filepath.Join(dir, "documents.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { docs.Close() })
	b := &bench{t: t, root: root, index: index, clock: start}
	b.Assembler = over(t, b, docs, filepath.Join(dir, "audit"))
	return b
}

// finds is a function as a Finder.
type finds func(ctx context.Context, w access.Where, limit time.Duration) (t access.Target, fault, err error)

func (f finds) Resolve(ctx context.Context, w access.Where, limit time.Duration) (t access.Target, fault, err error) {
	return f(ctx, w, limit)
}

// answers is a function as Code.
type answers func(ctx context.Context, req retrieve.Request, fault error) (*retrieve.Reply, error)

func (f answers) Answer(ctx context.Context, req retrieve.Request, fault error) (*retrieve.Reply, error) {
	return f(ctx, req, fault)
}

// over wires an Assembler to a bench and a store.
func over(t testing.TB, b *bench, docs store.Store, audit string) *Assembler {
	t.Helper()
	e, err := static.Default()
	if err != nil {
		t.Fatal(err)
	}
	rt := retrieve.New(retrieve.Options{Index: b.index, Embedders: registry.New(e), Embedded: true})
	a := &Assembler{Embedder: e, Clock: b.now, Store: docs, History: history.New(docs, audit, b.now),
		Usage: usage.New(docs, b.now)}
	if a.Memory, err = memory.New(docs, memory.Options{Now: b.now, Manifest: manifest{b.index}}); err != nil {
		t.Fatal(err)
	}
	a.Find = finds(func(ctx context.Context, w access.Where, _ time.Duration) (t access.Target, fault, err error) {
		projects, fault := b.index.Projects(ctx)
		if fault != nil {
			return access.Target{Project: w.Project, Foreign: true}, fault, nil
		}
		for _, p := range projects {
			if p.ID == w.Project && w.Root == "" {
				return access.Target{Project: p.ID, Root: p.Root}, nil, nil
			}
		}
		if w.Root == "" {
			return access.Target{Project: w.Project, Foreign: true}, nil, nil
		}
		t, err = access.Resolve(projects, w)
		return t, nil, err
	})
	a.Code = answers(func(ctx context.Context, req retrieve.Request, fault error) (*retrieve.Reply, error) {
		if fault != nil {
			return rt.Failed(req, fault), nil
		}
		return rt.Query(ctx, req), nil
	})
	return a
}

// manifest tells memory the hashes of files.
type manifest struct{ index search.Index }

func (m manifest) Hashes(ctx context.Context, project string, paths []string) (map[string][]string, error) {
	snap, err := m.index.Open(ctx, project)
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	out := map[string][]string{}
	for _, p := range paths {
		if e, ok, err := snap.Entry(ctx, p); err != nil {
			return nil, err
		} else if ok {
			out[p] = []string{e.Hash.String()}
		}
	}
	return out, nil
}

func (b *bench) write(files map[string]string) {
	b.t.Helper()
	for name, text := range files {
		path := filepath.Join(b.root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			b.t.Fatal(err)
		}
	}
}

func (b *bench) refresh() {
	b.t.Helper()
	e, err := static.Default()
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := ingest.New(b.index, ingest.Options{Embedder: e}).Refresh(context.Background(),
		ingest.Request{Project: "p", Root: b.root}); err != nil {
		b.t.Fatal(err)
	}
}

// task is the request that the tests change: a knight deletes sessions. It names two files, whose pieces are likely at
// least: they stand with their text however relevant the index finds them.
func task() Request {
	t := &Task{Mode: "implement"}
	t.ID, t.Title, t.Description = "task-042", "Delete sessions with their user",
		"Fix DeleteUser in auth/user.go: it must drop the sessions of the user. See auth/session_test.go."
	return Request{Project: "p", Agent: "knight-1", AgentKind: "knight", Task: t, DeadlineMS: 60_000}
}

func (b *bench) build(req Request) *Reply {
	b.t.Helper()
	r, err := b.Build(context.Background(), req)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

func (b *bench) save(d memory.Draft) memory.Item {
	b.t.Helper()
	s, err := b.Memory.Save(context.Background(), memory.Who{Agent: "knight-1", Project: "p"}, d)
	if err != nil {
		b.t.Fatal(err)
	}
	return s.Item
}
