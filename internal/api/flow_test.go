package api

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/retrieve"
)

func (w *world) search(body string) *retrieve.Reply {
	w.t.Helper()
	var r retrieve.Reply
	w.get(&r, "POST", "/v1/search", body)
	return &r
}

var errRefused = errors.New("refused")

func quote(s string) string {
	data, _ := json.Marshal(s)
	return string(data)
}

func TestSearchAnswersAsTheCommandDoes(t *testing.T) {
	t.Parallel()
	onBoth(t, searchAnswersAsTheCommandDoes)
}

func searchAnswersAsTheCommandDoes(t *testing.T, w *world) {
	w.index("web")
	r := w.search(
		`{"query":"verify the signature of a session token","project":"web","deadline_ms":10000,"explain":true}`)
	if r.Status != retrieve.OK || len(r.Results) == 0 || r.Results[0].Path != "src/auth/token.go" ||
		r.Rejected == nil || r.Root != w.root {
		t.Errorf("reply %+v", r)
	}
	if r := w.search(`{"query":"Verify","root":` + quote(w.root) + `,"deadline_ms":10000}`); len(r.Results) == 0 ||
		r.Project != "web" {
		t.Errorf("by root: %+v", r)
	}
	if r := w.search(`{"query":"x","project":"other"}`); r.Status != retrieve.Degraded ||
		r.Reasons[0] != retrieve.IndexMissing || r.Root != "" {
		t.Errorf("unknown project: %+v", r)
	}
}

func TestSearchNamesTheFilterThatIsWrong(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.index("web")
	for body, field := range map[string]string{
		`"langs":["klingon"]`: "langs",
		`"paths":["/etc"]`:    "paths",
		`"paths":["../x"]`:    "paths",
		`"paths":["["]`:       "paths",
	} {
		p := w.refused(invalidRequest, "POST", "/v1/search", `{"query":"Verify","project":"web",`+body+`}`)
		if p.Field != field || (field == "langs") != slices.Contains(p.Known, "typescript") {
			t.Errorf("%s: %+v", body, p)
		}
	}
	r := w.search(`{"query":"Verify","project":"web","deadline_ms":10000,"langs":["golang"],"paths":[` +
		quote(w.root+"/src") + `,"nowhere"]}`)
	if len(r.Results) == 0 || !slices.Equal(r.UnmatchedPaths, []string{"nowhere"}) || len(r.UnmatchedLangs) > 0 {
		t.Errorf("reply %+v", r)
	}
}

// A server keeps no question waiting for the index, and brings it up to date all the same.
func TestIndexIsBroughtUpBehindTheAnswer(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ask := `{"query":"Verify","root":` + quote(w.root) + `,"deadline_ms":10000}`
	if r := w.search(ask); len(r.Results) != 1 || r.Generation != 1 { // it waits for the first generation
		t.Fatalf("first question: %+v", r)
	}
	w.write("src/auth/revoke.go", "package auth\n\n// Revoke ends a session.\nfunc Revoke(id string) {}\n")
	project := code.DefaultProjectID(w.root)
	var done client.RefreshReply
	w.get(&done, "POST", "/v1/projects/"+project+"/refresh", "")
	if done.By != "server" || done.ID == "" || done.Root != w.root {
		t.Errorf("refresh: %+v", done)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		r := w.search(`{"query":"Revoke","project":"` + project + `","deadline_ms":10000}`)
		if len(r.Results) > 0 && r.Results[0].Path == "src/auth/revoke.go" && r.Generation == 2 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("not found: %+v", r)
		}
	}
}

func TestRootsThatAreNotAllowedAreRefused(t *testing.T) {
	t.Parallel()
	w := setup(t)
	other := quote(t.TempDir())
	if p := w.refused(rootNotAllowed, "POST", "/v1/search", `{"query":"x","root":`+other+`}`); p.Hint == "" {
		t.Error("no hint")
	}
	w.refused(rootNotAllowed, "POST", "/v1/projects/web/refresh", `{"root":`+other+`}`)
}

func TestProjectsAndWhy(t *testing.T) {
	t.Parallel()
	w := setup(t)
	var all struct{ Projects []client.Project }
	if w.get(&all, "GET", "/v1/projects", ""); all.Projects == nil || len(all.Projects) != 0 {
		t.Errorf("no projects: %+v", all)
	}
	w.index("web")
	if w.get(&all, "GET", "/v1/projects", ""); len(all.Projects) != 1 || all.Projects[0].ID != "web" ||
		all.Projects[0].Files != 2 {
		t.Errorf("projects: %+v", all)
	}
	var one client.Project
	if w.get(&one, "GET", "/v1/projects/web", ""); one.Generation != 1 || one.Root != w.root || one.IndexedAt == "" {
		t.Errorf("project: %+v", one)
	}
	w.refused(notFound, "GET", "/v1/projects/none", "")
	w.refused(invalidRequest, "GET", "/v1/projects/-x", "")
	w.refused(notFound, "POST", "/v1/projects/none/refresh", "")
	w.refused(invalidRequest, "POST", "/v1/projects/web/refresh", `{"changed_files":["../x"]}`)
	var v retrieve.Verdict
	if w.get(&v, "GET", "/v1/projects/web/why?path=src/auth/token.go", ""); !v.Indexed {
		t.Errorf("why: %+v", v)
	}
	if w.get(&v, "GET", "/v1/projects/web/why?path=../x", ""); v.Indexed || v.Reason != code.OutsideRoot {
		t.Errorf("why: %+v", v)
	}
	w.refused(invalidRequest, "GET", "/v1/projects/web/why", "")
}

func TestDeadLettersAreRetriedAndDropped(t *testing.T) {
	t.Parallel()
	onBoth(t, deadLettersAreRetriedAndDropped)
}

func deadLettersAreRetriedAndDropped(t *testing.T, w *world) {
	q, err := w.app.Backend.Queue()
	if err != nil {
		t.Fatal(err)
	}
	kill := func(project string) {
		t.Helper()
		if _, err := q.Push(t.Context(), queue.Request{Project: project, Root: "/none", At: time.Now()}); err != nil {
			t.Fatal(err)
		}
		if _, err := q.Drain(t.Context(), func(*queue.Request) error { return errRefused }); err != nil {
			t.Fatal(err)
		}
	}
	kill("a")
	kill("b")
	var list struct{ Dead []client.DeadLetter }
	if w.get(&list, "GET", "/v1/queue/dead", ""); len(list.Dead) != 2 || list.Dead[0].Project != "a" ||
		list.Dead[0].Reason == "" {
		t.Fatalf("dead: %+v", list)
	}
	var n struct{ Retried, Dropped, Unknown int }
	if w.get(&n, "POST", "/v1/queue/dead/retry", `{"ids":["`+list.Dead[0].ID+`","nope"]}`); n.Retried != 1 ||
		n.Unknown != 1 {
		t.Errorf("retry: %+v", n)
	}
	var st client.Queue
	if w.get(&st, "GET", "/v1/queue", ""); st.Counts.Depth != 1 || st.Counts.Dead != 1 ||
		st.Backend != w.app.Backend.Name || st.Daemon {
		t.Errorf("queue: %+v", st)
	}
	if w.get(&n, "POST", "/v1/queue/dead/drop", `{"ids":["`+list.Dead[1].ID+`"]}`); n.Dropped != 1 || n.Unknown != 0 {
		t.Errorf("drop: %+v", n)
	}
	w.refused(invalidRequest, "POST", "/v1/queue/dead/retry", `{}`)
	w.refused(invalidRequest, "POST", "/v1/queue/dead/retry", `{"all":true,"ids":["x"]}`)
	w.refused(invalidRequest, "POST", "/v1/queue/dead/drop", `{"ids":[]}`)
	if w.get(&n, "POST", "/v1/queue/dead/retry", `{"all":true}`); n.Retried != 0 {
		t.Errorf("retry all: %+v", n)
	}
}
