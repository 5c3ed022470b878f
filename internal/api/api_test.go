package api

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/embed/registry"
	"github.com/contextd/contextd/internal/embed/static"
	"github.com/contextd/contextd/internal/freshness"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

// covered are the replies of all tests, as "operation 2": the hundreds of their status.
var covered sync.Map

// TestMain checks, after a run of all tests, that nothing is left running and that each operation was seen to succeed
// and to be refused: every reply of a test is held against the description.
func TestMain(m *testing.M) {
	code := m.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Println(err)
			code = 1
		}
	}
	if all := flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.list").Value.String() == "" &&
		flag.Lookup("test.fuzz").Value.String() == "" &&
		flag.Lookup("test.skip").Value.String() == ""; code == 0 && all {
		d, err := described()
		for _, op := range d.ops {
			_, good := covered.Load(op.id + " 2")
			_, bad := covered.Load(op.id + " 4")
			if public := op.node["security"] != nil; !good && op.id != "events" || !bad && !public {
				fmt.Printf("operation %s: seen to succeed %v, to be refused %v\n", op.id, good, bad)
				code = 1
			}
		}
		if err != nil {
			code = 1
		}
	}
	os.Exit(code)
}

// world is a real server on loopback over a real embedded store.
type world struct {
	t    testing.TB
	root string // an allowed root that holds a repository of two files
	app  *app.App
	srv  *Server
	http *httptest.Server
	logs *logBuffer
}

// logBuffer is a log that may be read while it is written.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// setup starts a server on the embedded backing; change may alter its options.
func setup(t *testing.T, change ...func(*Options)) *world {
	t.Helper()
	return start(t, backend.Options{}, change...)
}

// onBoth runs a test on the embedded backing and on a real Redis.
func onBoth(t *testing.T, test func(t *testing.T, w *world)) {
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		test(t, setup(t))
	})
	t.Run("redis", func(t *testing.T) {
		t.Parallel()
		s := rdbtest.Start(t, rdbtest.Search)
		test(t, start(t, backend.Options{Redis: s.URL, Prefix: s.Prefix, Deadline: 10 * time.Second}))
	})
}

// start starts a server on the backing that o chooses.
func start(t testing.TB, o backend.Options, change ...func(*Options)) *world {
	t.Helper()
	return startWith(t, "", o, change...)
}

// startWith also allows another root.
func startWith(t testing.TB, also string, o backend.Options, change ...func(*Options)) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, root: filepath.Join(dir, "web"), logs: &logBuffer{}}
	w.write("src/auth/token.go",
		"package auth\n\n// Verify checks the signature of a session token.\nfunc Verify(token string) error {\n\treturn nil\n}\n")
	w.write("src/mail/send.go",
		"package mail\n\n// Send delivers one message by SMTP.\nfunc Send(to, body string) error {\n\treturn nil\n}\n")
	log := slog.New(slog.NewJSONHandler(w.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	o.StateDir, o.Log = filepath.Join(dir, "state"), log
	back, err := backend.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	e, err := static.Default()
	if err != nil {
		t.Fatal(err)
	}
	w.app = app.New(app.Options{Backend: back, Refresh: freshness.Behind, StateDir: filepath.Join(dir, "state"),
		Embedders: registry.New(e), Ingester: ingest.New(back.Index, ingest.Options{Embedder: e, Log: log}),
		AllowRoots: []string{w.root, also}, Strict: true, Log: log})
	opts := Options{App: w.app, Log: log}
	for _, f := range change {
		f(&opts)
	}
	if w.srv, err = New(opts); err != nil {
		t.Fatal(err)
	}
	w.http = httptest.NewServer(w.srv.Handler())
	t.Cleanup(func() {
		w.srv.Close()
		w.http.Close()
		if err := w.app.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// write makes a file of the root.
func (w *world) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// remove removes a file or folder of the root; "" is the root itself.
func (w *world) remove(name string) {
	w.t.Helper()
	if err := os.RemoveAll(filepath.Join(w.root, filepath.FromSlash(name))); err != nil {
		w.t.Fatal(err)
	}
}

// index brings the root into the index as a project.
func (w *world) index(project string) {
	w.t.Helper()
	e, err := static.Default()
	if err != nil {
		w.t.Fatal(err)
	}
	in := ingest.New(w.app.Backend.Index, ingest.Options{Embedder: e})
	if _, err := in.Refresh(w.t.Context(), ingest.Request{Project: project, Root: w.root}); err != nil {
		w.t.Fatal(err)
	}
}

// readDoc is a page of the documentation.
func readDoc(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// answer is what came back.
type answer struct {
	code   int
	header http.Header
	body   []byte
}

// do sends a request; header are names and values in turn.
func (w *world) do(method, path, body string, header ...string) answer {
	w.t.Helper()
	req, err := http.NewRequestWithContext(context.WithoutCancel(w.t.Context()), method, w.http.URL+path,
		strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
		} else {
			req.Header.Set(header[i], header[i+1])
		}
	}
	resp, err := w.http.Client().Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	a := answer{resp.StatusCode, resp.Header, data}
	w.conforms(method, path, body, a)
	return a
}

// get reads a good answer into v.
func (w *world) get(v any, method, path, body string, header ...string) {
	w.t.Helper()
	a := w.do(method, path, body, header...)
	if a.code >= 300 {
		w.t.Fatalf("%s %s: %d %s", method, path, a.code, a.body)
	}
	if err := json.Unmarshal(a.body, v); err != nil {
		w.t.Fatalf("%s %s: %v in %s", method, path, err, a.body)
	}
}

// refused sends a request that has to fail with a kind of problem, and returns the problem.
func (w *world) refused(kind slug, method, path, body string, header ...string) client.Problem {
	w.t.Helper()
	a := w.do(method, path, body, header...)
	var p client.Problem
	if err := json.Unmarshal(a.body, &p); err != nil {
		w.t.Fatalf("%s %s: %d %s: %v", method, path, a.code, a.body, err)
	}
	want := kinds[kind]
	if p.Type != typePrefix+string(kind) || p.Status != want.status || a.code != want.status || p.Title != want.title ||
		p.Detail == "" ||
		a.header.Get("Content-Type") != "application/problem+json" || p.RequestID == "" ||
		p.RequestID != a.header.Get("X-Request-Id") {
		w.t.Errorf("%s %s: %d %s, want %s", method, path, a.code, a.body, kind)
	}
	return p
}
