package api

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/embed/static"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a real server on loopback over a real embedded store.
type world struct {
	t    *testing.T
	root string // an allowed root that holds a repository of two files
	sess *session.Session
	srv  *Server
	http *httptest.Server
	logs *logBuffer
	seen sync.Map // "operation 2": replies by hundreds of their status
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

// setup starts a server; change may alter its options.
func setup(t *testing.T, change ...func(*Options)) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, root: filepath.Join(dir, "web"), logs: &logBuffer{}}
	w.write("src/auth/token.go", "package auth\n\n// Verify checks the signature of a session token.\nfunc Verify(token string) error {\n\treturn nil\n}\n")
	w.write("src/mail/send.go", "package mail\n\n// Send delivers one message by SMTP.\nfunc Send(to, body string) error {\n\treturn nil\n}\n")
	log := slog.New(slog.NewJSONHandler(w.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	back, err := backend.Open(backend.Options{StateDir: filepath.Join(dir, "state"), Log: log})
	if err != nil {
		t.Fatal(err)
	}
	e, err := static.Default()
	if err != nil {
		t.Fatal(err)
	}
	w.sess = session.New(session.Options{Backend: back, StateDir: filepath.Join(dir, "state"), Embedder: e, Ingester: ingest.New(back.Index, ingest.Options{Embedder: e, Log: log}),
		AllowRoots: []string{w.root}, Strict: true, Log: log})
	o := Options{Session: w.sess, Log: log}
	for _, f := range change {
		f(&o)
	}
	if w.srv, err = New(o); err != nil {
		t.Fatal(err)
	}
	w.http = httptest.NewServer(w.srv.Handler())
	t.Cleanup(func() {
		w.srv.Close()
		w.http.Close()
		if err := w.sess.Close(); err != nil {
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

// index brings the root into the index as a project.
func (w *world) index(project string) {
	w.t.Helper()
	e, err := static.Default()
	if err != nil {
		w.t.Fatal(err)
	}
	in := ingest.New(w.sess.Backend().Index, ingest.Options{Embedder: e})
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
	req, err := http.NewRequestWithContext(context.WithoutCancel(w.t.Context()), method, w.http.URL+path, strings.NewReader(body))
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
func (w *world) refused(kind slug, method, path, body string, header ...string) Problem {
	w.t.Helper()
	a := w.do(method, path, body, header...)
	var p Problem
	if err := json.Unmarshal(a.body, &p); err != nil {
		w.t.Fatalf("%s %s: %d %s: %v", method, path, a.code, a.body, err)
	}
	want := kinds[kind]
	if p.Type != typePrefix+string(kind) || p.Status != want.status || a.code != want.status || p.Title != want.title || p.Detail == "" ||
		a.header.Get("Content-Type") != "application/problem+json" || p.RequestID == "" || p.RequestID != a.header.Get("X-Request-Id") {
		w.t.Errorf("%s %s: %d %s, want %s", method, path, a.code, a.body, kind)
	}
	return p
}
