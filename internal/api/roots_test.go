package api

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/freshness"
)

// Whatever lies at a root that is not allowed, the status and the text are the same, but for the root as the client
// gave it.
func TestRootsThatAreNotAllowedGetOneAnswer(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	for name, indexedOnly := range map[string]bool{"allowed roots": false, "indexed roots only": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := startIndexed(t, indexedOnly)
			out := filepath.Join(filepath.Dir(w.root), "vault-of-others")
			link := func(to, from string) string {
				if err := os.Symlink(to, from); err != nil {
					t.Fatal(err)
				}
				return from
			}
			if err := os.MkdirAll(filepath.Join(out, "deep"), 0o755); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(out, "file.txt")
			if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
				t.Fatal(err)
			}
			roots := map[string]string{
				"folder":              out,
				"missing":             filepath.Join(out, "none"),
				"missing, deep":       filepath.Join(out, "none", "none"),
				"file":                file,
				"below a file":        filepath.Join(file, "none"),
				"link":                link(filepath.Join(out, "deep"), filepath.Join(out, "link")),
				"link to nothing":     link(filepath.Join(out, "gone"), filepath.Join(out, "dangling")),
				"loop":                link(filepath.Join(out, "loop"), filepath.Join(out, "loop")),
				"too long":            filepath.Join(out, strings.Repeat("n", 300)),
				"inside: link out":    link(out, filepath.Join(w.root, "exit")),
				"inside: out, gone":   filepath.Join(w.root, "exit", "none"),
				"inside: out, file":   filepath.Join(w.root, "exit", "file.txt"),
				"inside: to nothing":  link(filepath.Join(out, "gone"), filepath.Join(w.root, "void")),
				"inside: loop":        link(filepath.Join(w.root, "ring"), filepath.Join(w.root, "ring")),
				"the top of the disk": "/",
			}
			bodies := map[string]string{
				"/v1/search":               `{"query":"Verify","root":%s}`,
				"/v1/search ":              `{"query":"Verify","project":"web","root":%s}`,
				"/v1/context":              `{"agent_type":"knight","task":"Verify","root":%s}`,
				"/v1/projects/web/refresh": `{"root":%s}`,
			}
			for path, body := range bodies {
				first, of := "", ""
				for what, root := range roots {
					quoted, _ := json.Marshal(root)
					a := w.do("POST", strings.TrimSpace(path), fmt.Sprintf(body, quoted))
					var p client.Problem
					if err := json.Unmarshal(a.body, &p); err != nil {
						t.Fatalf("%s, %s: %d %s", path, what, a.code, a.body)
					}
					got := fmt.Sprint(a.code, p.Type, p.Title, p.Field, strings.ReplaceAll(p.Detail, root, "ROOT"))
					if root == "/" {
						got = fmt.Sprint(a.code, p.Type, p.Title, p.Field,
							strings.Replace(p.Detail, `"/"`, `"ROOT"`, 1))
					}
					if first == "" {
						first, of = got, what
					}
					if got != first || a.code < 400 {
						t.Errorf("%s:\n%s: %s\n%s: %s", path, of, first, what, got)
					}
				}
			}
		})
	}
}

// startIndexed starts a server with the project web. With indexedOnly it has no allowed roots, and reads what is
// indexed.
func startIndexed(t *testing.T, indexedOnly bool) *world {
	t.Helper()
	w := start(t, backend.Options{})
	w.index("web")
	if !indexedOnly {
		return w
	}
	only := *w
	only.app = app.New(app.Options{Backend: w.app.Backend, StateDir: filepath.Join(filepath.Dir(w.root), "state"),
		Strict: true, Refresh: freshness.Behind, Log: slog.New(slog.DiscardHandler)})
	var err error
	if only.srv, err = New(Options{App: only.app, Log: slog.New(slog.DiscardHandler)}); err != nil {
		t.Fatal(err)
	}
	only.http = httptest.NewServer(only.srv.Handler())
	t.Cleanup(func() {
		only.srv.Close()
		only.http.Close()
	})
	return &only
}
