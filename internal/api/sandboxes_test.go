package api

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/retrieve"
)

// fork makes a server with a project of two roots, whose token.go differs.
func fork(t *testing.T, o backend.Options) (w *world, fork string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	fork = filepath.Join(dir, "fork")
	if err := os.MkdirAll(fork, 0o755); err != nil {
		t.Fatal(err)
	}
	text := "package auth\n\n// Verify checks a session token by the new ring of keys.\nfunc Verify(token string) error {\n\treturn ring(token)\n}\n"
	if err := os.WriteFile(filepath.Join(fork, "token.go"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	w = startWith(t, fork, o)
	w.index("web")
	target := w.app.Access.TargetOf(t.Context(), "web", fork)
	if _, err := ingest.New(w.app.Backend.Index, ingest.Options{}).Refresh(t.Context(),
		ingest.Request{Project: target.IndexID(), Root: fork}); err != nil {
		t.Fatal(err)
	}
	return w, fork
}

func TestTheAPIServesEachRootOfAProject(t *testing.T) {
	for _, name := range []string{"embedded", "redis"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var o backend.Options
			if name == "redis" {
				s := rdbtest.Start(t, rdbtest.Search)
				o = backend.Options{Redis: s.URL, Prefix: s.Prefix, Deadline: 10 * time.Second}
			}
			w, fork := fork(t, o)
			at := "?root=" + url.QueryEscape(fork)
			var list struct{ Projects []client.Project }
			if w.get(&list, "GET", "/v1/projects", ""); len(list.Projects) != 2 || list.Projects[0].ID != "web" ||
				list.Projects[1].ID != "web" || list.Projects[1].Root != fork {
				t.Errorf("roots listed: %+v", list.Projects)
			}
			var p client.Project
			if w.get(&p, "GET", "/v1/projects/web", ""); p.Root != w.root {
				t.Errorf("without a root: %+v", p)
			}
			if w.get(&p, "GET", "/v1/projects/web"+at, ""); p.Root != fork || p.Files != 1 {
				t.Errorf("with a root: %+v", p)
			}
			w.refused(notFound, "GET", "/v1/projects/web?root="+url.QueryEscape(filepath.Join(w.root, "src")), "")
			w.refused(invalidRequest, "GET", "/v1/projects/web?root=fork", "")
			var v retrieve.Verdict
			if w.get(&v, "GET", "/v1/projects/web/why"+at+"&path=token.go", ""); !v.Indexed {
				t.Errorf("why: %+v", v)
			}
			w.get(new(any), "POST", "/v1/projects/web/blockers", `{"id":"t1","reason":"the crane is stuck"}`)
			for root, text := range map[string]string{w.root: "signature of a session", fork: "ring of keys"} {
				r := w.search(
					fmt.Sprintf(`{"query":"Verify","project":"web","root":%q,"deadline_ms":5000,"max_chars":1000}`,
						root))
				if len(r.Results) == 0 || r.Root != root || r.Project != "web" ||
					!strings.Contains(r.Results[0].Snippet, text) {
					t.Errorf("%s: %+v", root, r)
				}
				var c prompt.Reply
				w.get(&c, "POST", "/v1/context",
					fmt.Sprintf(`{"agent":"a","agent_kind":"knight","project":"web","root":%q,"deadline_ms":5000,
					"task":{"id":"t2","title":"Change Verify","description":"Verify must refuse expired tokens."}}`, root))
				if said := textOf(&c); !strings.Contains(said, "token.go") ||
					strings.Contains(said, "src/auth/token.go") == (root == fork) ||
					!strings.Contains(said, "the crane is stuck") {
					t.Errorf("context of %s: %s", root, said)
				}
			}
			c := w.listen("?types=index_changed&project=web")
			if err := os.WriteFile(filepath.Join(fork, "more.go"), []byte("package auth\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := ingest.New(w.app.Backend.Index, ingest.Options{}).Refresh(t.Context(),
				ingest.Request{
					Project: w.app.Access.TargetOf(t.Context(), "web", fork).IndexID(), Root: fork,
				}); err != nil {
				t.Fatal(err)
			}
			if e := w.next(c); e.Project != "web" || dataOf(e)["root"] != fork || dataOf(e)["project"] != "web" {
				t.Errorf("event %+v", e)
			}
			var done client.RefreshReply
			if w.get(&done, "POST", "/v1/projects/web/refresh", fmt.Sprintf(`{"root":%q}`, fork)); done.Root != fork ||
				done.Project != "web" {
				t.Errorf("refresh: %+v", done)
			}
		})
	}
}
