package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/search"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func examine(t *testing.T, o backend.Options, change func(*Options)) map[string]Check {
	t.Helper()
	b, err := backend.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	opts := Options{Backend: b, StateDir: o.StateDir, Embedder: func() (search.Model, error) {
		return search.Model{Embedder: "none"}, nil
	}}
	if change != nil {
		change(&opts)
	}
	found := map[string]Check{}
	for _, c := range Examine(t.Context(), opts) {
		found[c.Name] = c
		if c.Detail == "" || !c.OK && c.Hint == "" {
			t.Errorf("a check without words: %+v", c)
		}
	}
	return found
}

func wantFailing(t *testing.T, found map[string]Check, names ...string) {
	t.Helper()
	for _, c := range found {
		want := false
		for _, name := range names {
			want = want || c.Name == name
		}
		if c.OK == want && c.Name != "watching" { // the limits of this machine are its own
			t.Errorf("check %+v, want ok=%v", c, !want)
		}
	}
	for _, name := range names {
		if _, there := found[name]; !there {
			t.Errorf("no check %q", name)
		}
	}
}

func TestFreshInstallationPasses(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	wantFailing(t, examine(t, backend.Options{StateDir: dir}, nil))
	s := rdbtest.Own(t, rdbtest.Search)
	wantFailing(t, examine(t, backend.Options{StateDir: dir, Redis: s.URL, Prefix: s.Prefix}, nil))
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("looking made the state directory: %v", err)
	}
}

func TestWhatIsWrongIsNamed(t *testing.T) {
	t.Parallel()
	t.Run("a state directory that is a file", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "state")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if c := stateDir(file); c.OK {
			t.Errorf("%+v", c)
		}
		if c := stateDir(filepath.Join(file, "below")); c.OK {
			t.Errorf("%+v", c)
		}
	})
	t.Run("no Redis", func(t *testing.T) {
		t.Parallel()
		found := examine(t, backend.Options{StateDir: t.TempDir(), Redis: "redis://127.0.0.1:1"}, nil)
		wantFailing(t, found, "backend", "state directory") // a test's directory is open to others
		if !strings.Contains(found["backend"].Hint, "--redis off") {
			t.Errorf("%+v", found["backend"])
		}
	})
	t.Run("a wrong password", func(t *testing.T) {
		t.Parallel()
		s := rdbtest.Own(t, rdbtest.Plain, "--requirepass", "right")
		found := examine(t, backend.Options{StateDir: filepath.Join(t.TempDir(), "s"),
			Redis: strings.Replace(s.URL, "://", "://:wrong@", 1)}, nil)
		wantFailing(t, found, "backend")
		if c := found["backend"]; !strings.Contains(c.Hint, "password") || strings.Contains(c.Detail+c.Hint, "wrong@") {
			t.Errorf("%+v", c)
		}
	})
	t.Run("a Redis without search", func(t *testing.T) {
		t.Parallel()
		s := rdbtest.Own(t, rdbtest.Plain)
		o := backend.Options{StateDir: filepath.Join(t.TempDir(), "s"), Redis: s.URL, Prefix: s.Prefix}
		wantFailing(t, examine(t, o, nil), "search")
		o.NamesOnly = true
		wantFailing(t, examine(t, o, func(o *Options) { o.NamesOnly = true }))
	})
	t.Run("an embedder that is not there", func(t *testing.T) {
		t.Parallel()
		wantFailing(t, examine(t, backend.Options{StateDir: filepath.Join(t.TempDir(), "s")}, func(o *Options) {
			o.Embedder = func() (search.Model, error) { return search.Model{}, errors.New("no such embedder") }
		}), "embedder")
	})
}

func TestStaleProjectsDeadLettersAndLostRoots(t *testing.T) {
	t.Parallel()
	o := backend.Options{StateDir: filepath.Join(t.TempDir(), "state")}
	b, err := backend.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	ctx := t.Context()
	w, err := b.Index.Writer(ctx, search.Spec{Project: "web", Root: filepath.Join(t.TempDir(), "gone"),
		Model: search.Model{Embedder: "none"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(ctx, true); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	b.NoteFailure(ctx, "web", errors.New("disk full"))
	q, err := b.Queue()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []queue.Request{
		{Project: "web", Root: "/refused", At: time.Now()},
		{Project: "late", Root: "/late", At: time.Now()},
	} {
		if _, err := q.Push(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := q.Drain(ctx, func(r *queue.Request) error {
		if r.Root == "/refused" {
			return errors.New("not allowed")
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	found := examine(t, o, nil)
	wantFailing(t, found, "projects", "roots", "dead requests")
	if !strings.Contains(found["projects"].Detail, "disk full") {
		t.Errorf("%+v", found["projects"])
	}
}
