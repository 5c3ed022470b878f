//go:build web && unix

package browser

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/e2e/e2etest"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

// world is a real server with a project, and a client of it.
type world struct {
	*testing.T
	*e2etest.World
	root   string
	url    string
	server *e2etest.Daemon
	api    *client.Client
	refuse atomic.Bool // the embedder answers 401, so that refreshes fail for good
}

// start starts a server on a backing, with one indexed project "web".
func start(t *testing.T, redis bool, flags ...string) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, root: filepath.Join(dir, "web"),
		World: &e2etest.World{Bin: bin, Dir: filepath.Join(dir, "world"), Prefix: "ctx"}}
	if redis {
		s := rdbtest.Own(t, rdbtest.Search)
		w.Redis, w.Prefix = s.URL, s.Prefix
	}
	embedder := httptest.NewServer(http.HandlerFunc(w.embed))
	t.Cleanup(embedder.Close)
	w.Env = append(w.Env, "CONTEXTD_EMBEDDER=openai", "CONTEXTD_EMBEDDER_URL="+embedder.URL,
		"CONTEXTD_EMBEDDER_MODEL=test", "OPENAI_API_KEY=")
	w.write("src/auth/token.go",
		"package auth\n\n// Verify checks the signature of a session token.\nfunc Verify(token string) error {\n\treturn nil\n}\n")
	w.write("src/mail/send.go",
		"package mail\n\n// Send delivers one message by SMTP.\nfunc Send(to, body string) error {\n\treturn nil\n}\n")
	w.write(".gitignore", "private/\n")
	w.write("private/notes.txt", "nothing to see\n")
	if _, err := w.Index(w.root, "--project", "web"); err != nil {
		t.Fatal(err)
	}
	w.serve(flags...)
	return w
}

// both runs a test on both backings.
func both(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	t.Run("embedded", func(t *testing.T) { test(t, start(t, false)) })
	t.Run("redis", func(t *testing.T) { test(t, start(t, true)) })
}

// serve starts the server.
func (w *world) serve(flags ...string) {
	w.Helper()
	d, err := w.Serve(append([]string{"--allow-root", w.root}, flags...)...)
	w.ok(err)
	w.Cleanup(d.Kill)
	w.ok(d.Ready(soon))
	w.server, w.url, w.api = d, d.URL, client.New(d.URL, client.Options{})
}

// embed answers as a server of embeddings does, or refuses.
func (w *world) embed(rw http.ResponseWriter, r *http.Request) {
	var in struct{ Input []string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || w.refuse.Load() {
		rw.WriteHeader(http.StatusUnauthorized)
		return
	}
	data := []map[string]any{}
	for i, text := range in.Input {
		v := make([]float64, 32) // the counts of letters
		for _, c := range []byte(text) {
			v[c%32]++
		}
		v[0] += 0.1
		data = append(data, map[string]any{"index": i, "embedding": v})
	}
	_ = json.NewEncoder(rw).Encode(map[string]any{"data": data})
}

func (w *world) ok(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) write(name, text string) {
	w.Helper()
	path := filepath.Join(w.root, filepath.FromSlash(name))
	w.ok(os.MkdirAll(filepath.Dir(path), 0o755))
	w.ok(os.WriteFile(path, []byte(text), 0o644))
}

// call asks the API.
func (w *world) call(method, path string, body, into any) {
	w.Helper()
	w.ok(w.api.Call(w.Context(), method, path, nil, body, into))
}

// save makes an agent remember something, and returns its id.
func (w *world) save(agent, kind, text string) string {
	w.Helper()
	s, err := w.api.Save(w.Context(), agent, "web", client.Draft{ItemType: kind, Content: text})
	w.ok(err)
	return s.ID
}

// compile makes a context for a task.
func (w *world) compile(task string, budget int) string {
	w.Helper()
	c, err := w.api.Context(w.Context(), client.ContextRequest{Project: "web", Agent: "knight-1", AgentKind: "knight",
		DeadlineMS: 10_000, BudgetTokens: budget, Task: &client.Work{ID: task, Title: "Check expiry of session tokens",
			Description: "Verify in src/auth/token.go accepts expired tokens; it must refuse them."}})
	w.ok(err)
	return c.ID
}
