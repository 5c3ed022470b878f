package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/queue"
)

// noMethod are the operations that the Go client leaves out, and why.
var noMethod = map[string]string{
	"metrics":     "text for Prometheus, which asks by itself",
	"openapi":     "the description of what the methods already know",
	"openapiYAML": "the same in another form",
	"mcp":         "another protocol, with clients of its own",
}

// Each operation is asked for by a method, whatever it is called, and no method asks for anything else: all methods are
// called, and a server that knows the operations only by the description notes which came.
func TestEveryOperationHasAMethodInTheGoClient(t *testing.T) {
	t.Parallel()
	d, err := described()
	if err != nil {
		t.Fatal(err)
	}
	var last atomic.Value // id of the operation that was asked for
	mux := http.NewServeMux()
	for _, op := range d.ops {
		mux.HandleFunc(op.method+" "+op.path, func(http.ResponseWriter, *http.Request) { last.Store(op.id) })
	}
	srv := httptest.NewServer(mux)
	defer srv.Close()
	c := reflect.ValueOf(client.New(srv.URL, client.Options{HTTP: srv.Client()}))
	asked := map[string]string{}
	for i := range c.NumMethod() {
		name := c.Type().Method(i).Name
		if name == "Call" { // asks for what it is told
			continue
		}
		method := c.Method(i)
		var args []reflect.Value
		for k := range method.Type().NumIn() {
			switch in := method.Type().In(k); {
			case method.Type().IsVariadic() && k == method.Type().NumIn()-1:
			case in == reflect.TypeFor[context.Context]():
				args = append(args, reflect.ValueOf(t.Context()))
			case in.Kind() == reflect.String:
				args = append(args, reflect.ValueOf("a/b")) // as one part of a path
			default:
				args = append(args, reflect.Zero(in))
			}
		}
		last.Store("")
		method.Call(args)
		id := last.Load().(string)
		if id == "" {
			t.Errorf("%s asks for no operation of the description", name)
		}
		asked[id] = name
	}
	for _, op := range d.ops {
		switch {
		case asked[op.id] == "" && noMethod[op.id] == "":
			t.Errorf("operation %s (%s %s) has no method in package client: add one, or say in noMethod why not", op.id,
				op.method, op.path)
		case asked[op.id] != "" && noMethod[op.id] != "":
			t.Errorf("operation %s is left out on purpose, and %s asks for it", op.id, asked[op.id])
		}
		delete(asked, op.id)
	}
	for id := range noMethod {
		if !slices.ContainsFunc(d.ops, func(op operation) bool { return op.id == id }) {
			t.Errorf("noMethod: no operation %s", id)
		}
	}
}

// What a supervisor's operator looks at, by the Go client, on a real server.
func TestGoClientLooksIntoARealServer(t *testing.T) {
	t.Parallel()
	w := setup(t, func(o *Options) { o.Token = testToken })
	w.index("web")
	c, ctx := client.New(w.http.URL, client.Options{Token: testToken, HTTP: w.http.Client()}), t.Context()
	fail := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	refused := func(what, slug string, err error) {
		t.Helper()
		if !client.Is(err, slug) {
			t.Errorf("%s: %v, want a problem %s", what, err, slug)
		}
	}

	// receipts
	ask := client.ContextRequest{Project: "web", Agent: "knight-1", AgentKind: "knight", DeadlineMS: 10_000,
		Task: &client.Work{ID: "t-1", Title: "Check expiry of session tokens",
			Description: "Verify accepts session tokens that expired."}}
	first, err := c.Context(ctx, ask)
	fail("context", err)
	ask.BudgetTokens = 600
	second, err := c.Context(ctx, ask)
	fail("context", err)
	_, err = c.Feedback(ctx, first.ID, client.Feedback{Response: "Verify now refuses session tokens that expired",
		Edited: []string{"src/auth/token.go"}})
	fail("feedback", err)
	r, err := c.Receipt(ctx, first.ID)
	fail("receipt", err)
	if r.ID != first.ID || r.At.IsZero() || r.Tokens != first.Tokens || r.Fingerprint == nil ||
		r.Fingerprint.ID != first.Fingerprint.ID || r.Outcome == nil || len(r.Outcome.Used) == 0 ||
		!slices.ContainsFunc(r.Items, func(l client.ReceiptLine) bool {
			return strings.HasPrefix(l.Source, "file:src/auth/token.go:") && l.Decision != "dropped" && l.Relevance > 0
		}) {
		t.Errorf("receipt %+v", r)
	}
	for _, l := range r.Items {
		if l.Reason == "below_threshold" &&
			(l.Source != "file:src/mail/send.go" || !(l.Relevance > 0 && l.Relevance < r.MinRelevance)) {
			t.Errorf("a rejected candidate: %+v", l)
		}
	}
	all, err := c.Receipts(ctx, "web", 0)
	fail("receipts", err)
	one, err := c.Receipts(ctx, "web", 1)
	fail("receipts", err)
	if len(all) != 2 || len(one) != 1 || one[0].ID != second.ID || all[1].ID != first.ID || all[1].Outcome != nil {
		t.Errorf("receipts %+v and %+v", all, one)
	}
	again, err := c.Prompt(ctx, first.ID)
	fail("prompt", err)
	if again.ID != first.ID || !again.Exact || !slices.Equal(again.Messages, first.Messages) || len(again.Parts) < 2 ||
		again.Parts[1].End == 0 || r.Prompt == nil {
		t.Errorf("prompt %+v of %+v", again, r.Prompt)
	}
	_, err = c.Prompt(ctx, "ctx_none")
	refused("prompt", "not-found", err)
	d, err := c.DiffReceipts(ctx, first.ID, second.ID)
	fail("diff", err)
	if d.From != first.ID || d.To != second.ID || !slices.Contains(d.Causes, "budget") || len(d.Settings) == 0 ||
		d.Tokens != second.Tokens-first.Tokens {
		t.Errorf("diff %+v", d)
	}
	left, err := c.SkippedFiles(ctx, "web", "", 0)
	fail("skipped files", err)
	if left.Project != "web" || left.Root == "" || left.Counts == nil || len(left.Files) > 0 &&
		left.Files[0].Reason == "" || left.More {
		t.Errorf("skipped files %+v", left)
	}
	_, err = c.SkippedFiles(ctx, "web", "binary", 1001)
	refused("1,001 skipped files", "invalid-request", err)
	won, err := c.Savings(ctx, "web", 10)
	fail("savings", err)
	_, err = c.Savings(ctx, "other", 0)
	refused("savings of no project", "not-found", err)
	if won.Project != "web" || len(won.Contexts) == 0 || won.Contexts[0].At.IsZero() || won.WholeTokens == 0 {
		t.Errorf("savings %+v", won)
	}
	_, err = c.Receipt(ctx, "ctx_none")
	refused("receipt", "not-found", err)
	_, err = c.DiffReceipts(ctx, first.ID, "ctx_none")
	refused("diff", "not-found", err)
	_, err = c.Receipts(ctx, "", 0)
	refused("receipts of no project", "invalid-request", err)

	// projects
	projects, err := c.Projects(ctx)
	fail("projects", err)
	p, err := c.Project(ctx, "web")
	fail("project", err)
	if len(projects) != 1 || projects[0] != *p || p.ID != "web" || p.Root != w.root || p.Files != 2 {
		t.Errorf("projects %+v, project %+v", projects, p)
	}
	v, err := c.WhyPath(ctx, "web", "src/mail/none.go")
	fail("why", err)
	if v.Path != "src/mail/none.go" || v.Indexed || v.Reason != "missing" {
		t.Errorf("verdict %+v", v)
	}
	_, err = c.Project(ctx, "other")
	refused("project", "not-found", err)
	_, err = c.WhyPath(ctx, "web", "")
	refused("why nothing", "invalid-request", err)
	found, err := c.Search(ctx, client.SearchRequest{Query: "verify the signature of a session token", Project: "web",
		DeadlineMS: 10_000, Explain: true})
	fail("search", err)
	if found.Searched.Files != 2 || len(found.Results) == 0 || len(found.Results[0].Explain) == 0 ||
		len(found.Results)+len(found.Rejected) < 2 {
		t.Errorf("search %+v", found)
	}

	// memory
	saved, err := c.Save(ctx, "knight-1", "web",
		client.Draft{ItemType: "DECISION", Content: "Session tokens expire after one hour", Tags: []string{"auth"}})
	fail("save", err)
	agents, err := c.Agents(ctx)
	fail("agents", err)
	items, err := c.Memory(ctx, "knight-1", client.MemoryFilter{Project: "web", Kinds: []string{"decision", "fact"},
		Tags: []string{"auth"}, Text: "TOKENS", Limit: 3})
	fail("memory", err)
	none, err := c.Memory(ctx, "knight-1", client.MemoryFilter{Kinds: []string{"fact"}})
	fail("memory", err)
	if !slices.Equal(agents, []string{"knight-1"}) || len(items) != 1 || items[0].ID != saved.ID ||
		items[0].Kind != "decision" || items[0].CreatedAt.IsZero() || len(none) != 0 {
		t.Errorf("agents %q, items %+v, none %+v", agents, items, none)
	}
	stats, err := c.MemoryStats(ctx, "knight-1", "web", "")
	fail("stats", err)
	if stats.Items != 1 || stats.Tokens == 0 ||
		stats.Tiers[saved.Tier] != (client.TierCounts{Items: 1, Tokens: stats.Tokens}) {
		t.Errorf("stats %+v", stats)
	}
	delta, err := c.Diff(ctx, "knight-1", "web",
		[]client.Held{{ID: saved.ID, Hash: items[0].Hash}, {ID: "mem_gone", Hash: "x"}}, "HOT", "WARM")
	fail("memory diff", err)
	fresh, err := c.Diff(ctx, "knight-1", "web", nil, "HOT", "WARM")
	fail("memory diff", err)
	if delta.Same != 1 || !slices.Equal(delta.Dropped, []string{"mem_gone"}) || len(fresh.Added) != 1 ||
		fresh.Added[0].ID != saved.ID {
		t.Errorf("delta %+v, from nothing %+v", delta, fresh)
	}
	pinned, err := c.Pin(ctx, "knight-1", "web", saved.ID, new(0.5))
	fail("pin", err)
	_, err = c.Pin(ctx, "knight-1", "web", saved.ID, new(2.0))
	refused("pin beyond 1", "invalid-request", err)
	if pinned.Tier != "WARM" || pinned.Importance != 0.5 {
		t.Errorf("pinned %+v", pinned)
	}
	archive, err := c.Archive(ctx, "knight-1", "web")
	fail("archive", err)
	if len(archive) != 0 {
		t.Errorf("archive %+v", archive)
	}
	_, err = c.Memory(ctx, "knight-1", client.MemoryFilter{Tiers: []string{"TEPID"}})
	refused("memory of no tier", "invalid-request", err)
	_, err = c.MemoryStats(ctx, "knight-1", "", "latin")
	refused("stats in no encoding", "invalid-request", err)

	// the queue
	jobs, err := w.app.Backend.Queue()
	fail("queue", err)
	for _, project := range []string{"a", "b", "c"} {
		_, err := jobs.Push(ctx, queue.Request{Project: project, Root: "/none", At: time.Now()})
		fail("push", err)
		_, err = jobs.Drain(ctx, func(*queue.Request) error { return errRefused })
		fail("drain", err)
	}
	dead, err := c.DeadLetters(ctx)
	fail("dead letters", err)
	if len(dead) != 3 || dead[0].Project != "a" || dead[0].Reason == "" {
		t.Fatalf("dead letters %+v", dead)
	}
	retried, unknown, err := c.RetryDead(ctx, dead[0].ID, "nope")
	fail("retry", err)
	dropped, strange, err := c.DropDead(ctx, dead[1].ID, "nope", "nor this")
	fail("drop", err)
	q, err := c.Queue(ctx)
	fail("queue", err)
	if retried != 1 || unknown != 1 || dropped != 1 || strange != 2 || q.Backend != "embedded" || q.Daemon ||
		q.Counts.Depth != 1 || q.Counts.Dead != 1 || q.Counts.Oldest() < 0 {
		t.Errorf("retried %d, %d unknown; dropped %d, %d unknown; queue %+v", retried, unknown, dropped, strange, q)
	}
	if n, err := c.RetryAllDead(ctx); n != 1 || err != nil {
		t.Errorf("retried %d of all: %v", n, err)
	}
	_, _, err = c.RetryDead(ctx)
	refused("retry of none", "invalid-request", err)
	_, _, err = c.DropDead(ctx)
	refused("drop of none", "invalid-request", err)

	// the service
	stranger := client.New(w.http.URL, client.Options{HTTP: w.http.Client()})
	fail("health", stranger.Health(ctx))
	fail("ready", stranger.Ready(ctx))
	_, err = stranger.Receipts(ctx, "web", 0)
	refused("without a token", "unauthorized", err)
	away, cancel := context.WithCancel(ctx)
	cancel()
	if err := c.Ready(away); !errors.Is(err, context.Canceled) || errors.Is(err, client.ErrNotReady) {
		t.Errorf("ready when cancelled: %v", err)
	}
}

// A server whose store does not answer says so; something else between is a problem of its own.
func TestGoClientTellsAServerThatIsNotReady(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		code int
		body string
		want string
		not  bool // errors.Is(err, ErrNotReady)
	}{
		"ready": {200, `{"ready":true}`, "", false},
		"not ready": {503, `{"ready":false,"reason":"ping Redis: connection refused"}`,
			"GET /readyz: not ready: ping Redis: connection refused", true},
		"a proxy": {503, `<h1>Sorry</h1>`, "GET /readyz: <h1>Sorry</h1>", false},
		"nothing": {502, ``, "GET /readyz: 502 Bad Gateway", false},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(tt.code)
			_, _ = w.Write([]byte(tt.body))
		}))
		err := client.New(srv.URL, client.Options{HTTP: srv.Client()}).Ready(t.Context())
		srv.Close()
		if got := fmt.Sprint(err); errors.Is(err, client.ErrNotReady) != tt.not || (err == nil) != (tt.want == "") ||
			err != nil && got != tt.want {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}
