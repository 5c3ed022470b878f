//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	client "github.com/contextd/contextd/clients/go"
)

// refused sends a body that has to be answered by a problem, and returns that.
func (s *supervisor) refused(status int, slug, method, path, body string) *client.Problem {
	s.Helper()
	req, err := http.NewRequestWithContext(s.Context(), method, s.server.URL+path, strings.NewReader(body))
	s.ok(err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Request-Id", "e2e-1")
	c := http.Client{Timeout: soon}
	defer c.CloseIdleConnections()
	r, err := c.Do(req)
	s.ok(err)
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	s.ok(err)
	var p client.Problem
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		s.Errorf("%s %s: %d, %v in %s", method, path, r.StatusCode, err, data)
	}
	if r.StatusCode != status || p.Status != status || p.Slug() != slug ||
		r.Header.Get("Content-Type") != "application/problem+json" || p.Title == "" || p.Detail == "" ||
		p.RequestID != "e2e-1" || r.Header.Get("X-Request-Id") != "e2e-1" {
		s.Errorf("%s %s %.200s: %d %q %s, want %d %s", method, path, body, r.StatusCode, r.Header.Get("Content-Type"),
			data, status, slug)
	}
	return &p
}

func TestWhatCannotBeIsAProblemAndChangesNothing(t *testing.T) {
	both(t, func(b *bundle) {
		s := supervise(b)
		s.past()
		saved, err := s.api.FlashSave(s.Context(), "squire-1", shop)
		s.ok(err)
		c := s.compile("knight")
		before := s.everything("squire-1", "knight-1")

		const at = "/v1/context"
		known := func(p *client.Problem, field string, names ...string) {
			s.Helper()
			for _, n := range names {
				if p.Field != field || !slices.Contains(p.Known, n) {
					s.Errorf("field %q may be %q, want %s to be %q among others", p.Field, p.Known, field, n)
				}
			}
		}
		known(s.refused(400, "invalid-request", "POST", at, `{"project":"shop","agent_kind":"jester","query":"x"}`),
			"agent_kind", kinds...)
		known(s.refused(400, "invalid-request", "POST", at, `{"project":"shop","profile":"jester","query":"x"}`),
			"profile", "default", "knight")
		known(s.refused(400, "invalid-request", "POST", at, `{"project":"shop","query":"x","encoding":"morse"}`),
			"encoding", "o200k_base", "cl100k_base")
		for field, body := range map[string]string{
			"task":        `{"project":"shop","agent_kind":"knight","task":{"id":"task-1"}}`,
			"task.mode":   `{"project":"shop","task":{"title":"x","mode":"later"}}`,
			"project":     `{"query":"x"}`,
			"root":        `{"root":"src/shop","query":"x"}`,
			"frame":       `{"project":"shop","query":"x","frame":"dream"}`,
			"inject_at":   `{"project":"shop","query":"x","inject_at":1.5}`,
			"deadline_ms": `{"project":"shop","query":"x","deadline_ms":-1}`,
		} {
			if p := s.refused(400, "invalid-request", "POST", at, body); p.Field != field {
				s.Errorf("%s: field %q, want %q", body, p.Field, field)
			}
		}
		if p := s.refused(400, "invalid-request", "POST", at,
			`{"project":"shop","agent_kind":"knight","query":"a task is wanted"}`); !strings.Contains(p.Detail,
			"task") {
			s.Errorf("a knight without a task: %+v", p)
		}

		// The budget has to hold what must be in; the detail says how much would.
		task, err := json.Marshal(work())
		s.ok(err)
		small := func(budget int) string {
			return fmt.Sprintf(`{"project":"shop","agent":"knight-1","agent_kind":"knight","budget_tokens":%d,"deadline_ms":10000,"task":%s}`, budget, task)
		}
		p := s.refused(422, "budget-too-small", "POST", at, small(50))
		need := 0
		for _, word := range strings.FieldsFunc(p.Detail, func(r rune) bool { return r < '0' || r > '9' }) {
			var n int
			if fmt.Sscan(word, &n); n > need {
				need = n
			}
		}
		if p.Field != "budget_tokens" || need <= 50 {
			s.Fatalf("%+v", p)
		}
		s.refused(422, "budget-too-small", "POST", at, small(need-1))

		s.refused(413, "body-too-large", "POST", at, `{"project":"shop","query":"`+strings.Repeat("x", 5<<20)+`"}`)
		s.refused(413, "body-too-large", "POST", "/v1/projects/shop/tasks",
			`{"task_id":"big","summary":"`+strings.Repeat("x", 2<<20)+`"}`)
		for _, path := range []string{
			at, "/v1/search", "/v1/recall", "/v1/projects/shop/tasks", "/v1/projects/shop/blockers",
			"/api/agents/knight-1/context/save",
		} {
			s.refused(400, "invalid-encoding", "POST", path, "{\"query\":\"caf\xe9\"}")
			s.refused(400, "invalid-json", "POST", path, `{"query":`)
			s.refused(400, "invalid-json", "POST", path, `[]`)
		}
		s.refused(400, "unknown-field", "POST", at, `{"project":"shop","query":"x","budget":100}`)
		s.refused(400, "invalid-encoding", "GET", "/api/agents/%ff/context", "")
		s.refused(404, "not-found", "GET", "/v1/contexts", "")
		s.refused(405, "method-not-allowed", "DELETE", at, "")

		s.refused(409, "conflict", "POST", "/v1/projects/shop/tasks",
			`{"task_id":"task-040","success":true,"intent":"Something else"}`)
		s.refused(400, "invalid-request", "POST", "/v1/projects/shop/tasks", `{"intent":"no id"}`)
		s.refused(404, "not-found", "PATCH", "/v1/projects/shop/tasks/none", `{"requires_context":true}`)
		s.refused(404, "not-found", "DELETE", "/v1/projects/shop/blockers/none", "")
		s.refused(404, "not-found", "POST", "/v1/projects/none/refresh", "")
		s.refused(403, "root-not-allowed", "POST", "/v1/projects/other/refresh", `{"root":"/"}`)
		s.refused(400, "invalid-request", "POST", "/v1/projects/shop/refresh", `{"changed_files":["../outside.go"]}`)

		s.refused(403, "foreign-checkpoint", "POST", "/api/agents/knight-1/context/restore",
			fmt.Sprintf(`{"project":"shop","checkpoint_id":%q}`, saved.CheckpointID))
		s.refused(404, "not-found", "POST", "/api/agents/squire-1/context/restore",
			`{"project":"shop","checkpoint_id":"ckp_none"}`)
		s.refused(404, "not-found", "POST", "/api/agents/nobody/context/restore", `{"project":"shop"}`)
		known(s.refused(400, "invalid-request", "POST", "/api/agents/knight-1/context/save",
			`{"item_type":"WISH","content":"x"}`), "item_type", "decision", "fact")
		s.refused(400, "invalid-request", "POST", "/api/agents/knight-1/context/save",
			`{"item_type":"FACT","content":""}`)
		s.refused(400, "invalid-request", "POST", "/api/agents/knight-1/context/save",
			`{"item_type":"FACT","content":"x","importance_score":1.01}`)

		s.refused(404, "not-found", "GET", "/v1/receipts/ctx_0123456789abcdef", "")
		s.refused(404, "not-found", "GET", "/v1/receipts/"+c.ID+"/diff/ctx_none", "")
		s.refused(404, "not-found", "POST", "/v1/context/ctx_none/feedback", `{"response":"x"}`)
		s.refused(400, "invalid-request", "POST", "/v1/queue/dead/retry", `{}`)
		s.refused(426, "upgrade-required", "GET", "/v1/events", "")
		known(s.refused(400, "invalid-request", "GET", "/v1/events?types=weather", ""), "types", "context_assembled",
			"index_changed")

		after := s.everything("squire-1", "knight-1")
		for path, want := range before {
			if fmt.Sprint(after[path]) != fmt.Sprint(want) {
				s.Errorf("%s is another after requests that were refused:\n%v\nbefore:\n%v", path, after[path], want)
			}
		}
		if len(after) != len(before) {
			s.Errorf("%d documents, before %d", len(after), len(before))
		}
		exact := s.compile("knight", func(r *client.ContextRequest) { r.BudgetTokens = need })
		if exact.Tokens > need || len(exact.Sections) == 0 {
			s.Errorf("with a budget of %d: %d tokens", need, exact.Tokens)
		}
	})
}

func TestAPageOfAnotherSiteAndAForeignHostAreKeptOut(t *testing.T) {
	t.Parallel()
	b := newBundle(t, nil)
	s := &supervisor{bundle: b}
	s.startServer()
	u, err := url.Parse(s.server.URL)
	s.ok(err)
	for name, change := range map[string]func(*http.Request){
		"foreign-origin": func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") },
		"foreign-host":   func(r *http.Request) { r.Host = "evil.example:" + u.Port() },
	} {
		req, err := http.NewRequestWithContext(s.Context(), "GET", s.server.URL+"/v1/projects", nil)
		s.ok(err)
		change(req)
		c := http.Client{Timeout: soon}
		r, err := c.Do(req)
		s.ok(err)
		data, err := io.ReadAll(r.Body)
		s.ok(err)
		_ = r.Body.Close()
		c.CloseIdleConnections()
		if r.StatusCode != 403 || !strings.Contains(string(data), name) {
			s.Errorf("%s: %d %s", name, r.StatusCode, data)
		}
	}
}
