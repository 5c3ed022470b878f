package api

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/retrieve"
)

// Without Redis a search and a context are degraded answers, everything else a problem that says so; all is well again
// afterwards.
func TestWithoutRedisPromptsAreNotBlocked(t *testing.T) {
	t.Parallel()
	s := rdbtest.Own(t, rdbtest.Search, "--appendonly", "yes", "--appendfsync", "always")
	w := start(t, backend.Options{Redis: s.URL, Prefix: s.Prefix, Deadline: 10 * time.Second})
	w.index("web")
	s.Kill(t)
	if r := w.search(`{"query":"Verify","project":"web","deadline_ms":2000}`); r.Status != retrieve.Degraded ||
		len(r.Results) != 0 || !slices.Contains(r.Reasons, retrieve.RedisUnreachable) {
		t.Errorf("search: %+v", r)
	}
	c := w.knight("")
	if c.Status != prompt.Degraded || !slices.Contains(c.Reasons, "redis_unreachable") ||
		!slices.Contains(c.Reasons, prompt.MemoryUnavailable) ||
		!slices.Contains(c.Reasons, prompt.HistoryUnavailable) || !strings.Contains(textOf(c), "Check expiry") {
		t.Errorf("context: %+v", c)
	}
	for _, path := range []string{
		"/v1/projects", "/v1/queue", "/v1/projects/web/tasks", "/api/agents/knight-1/context",
		"/v1/receipts?project=web",
	} {
		w.refused(unavailable, "GET", path, "")
	}
	w.refused(unavailable, "POST", "/api/agents/knight-1/context/save", `{"item_type":"FACT","content":"x"}`)
	if a := w.do("GET", "/readyz", ""); a.code != 503 {
		t.Errorf("/readyz: %d %s", a.code, a.body)
	}
	s.Restart(t)
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if r := w.search(`{"query":"Verify","project":"web","deadline_ms":2000}`); r.Status == retrieve.OK {
			break
		} else if time.Now().After(end) {
			t.Fatalf("after the restart: %+v", r)
		}
	}
}

// A request in flight when the server is stopped is answered, and Run returns without an error.
func TestStoppingLetsRequestsEnd(t *testing.T) {
	t.Parallel()
	w := setup(t)
	l, err := Listen("127.0.0.1:0", "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	done := make(chan error, 1)
	go func() { done <- w.srv.Run(ctx, l) }()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	body := `{"query":"x","project":"none"}`
	fmt.Fprintf(conn,
		"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", len(body))
	in := bufio.NewReader(conn)
	if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		// the handler reads the body now
		t.Fatalf("%q, %v", line, err)
	}
	if _, err := in.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	stop()
	for { // until nobody else is let in
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			break
		}
		c.Close()
	}
	fmt.Fprint(conn, body)
	resp, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if data, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != 200 ||
		!strings.Contains(string(data), "index_missing") {
		t.Errorf("%d %s %v", resp.StatusCode, data, err)
	}
	if err := <-done; err != nil {
		t.Errorf("Run: %v", err)
	}
}

func TestAVanishedRootIsAnAnswer(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.index("web")
	w.remove("")
	r := w.search(`{"query":"Verify","project":"web","no_index":true,"deadline_ms":10000}`)
	if r.Status != retrieve.Degraded || len(r.Results) != 0 {
		t.Errorf("search: %+v", r)
	}
}

func FuzzNoRequestIsADefect(f *testing.F) {
	for _, rt := range routes {
		f.Add(rt.method, strings.NewReplacer("{", "", "}", "").Replace(rt.path),
			`{"query":"x","project":"web","agent":"a","task":{"title":"x"},"content":"x","item_type":"fact"}`)
	}
	f.Add("POST", "/v1/context",
		`{"project":"web","query":"x","conversation":[{"role":"user","content":"\ud800"}],"budget_tokens":1e3}`)
	f.Add("GET", "/v1/agents/%ff/memory?limit=%00", "")
	w := start(f, backend.Options{})
	f.Fuzz(func(t *testing.T, method, path, body string) {
		if method == "" || strings.ContainsFunc(method, func(r rune) bool {
			return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
		}) {
			return
		}
		req, err := http.NewRequest(method, "http://localhost/", strings.NewReader(body))
		if err != nil {
			return
		}
		if req.URL, err = req.URL.Parse(path); err != nil || req.URL.Path == "/v1/events" {
			return
		}
		req.Header.Set("Content-Type", "application/json")
		rec := httptest.NewRecorder()
		w.srv.Handler().ServeHTTP(rec, req)
		if rec.Code >= 500 {
			t.Errorf("%s %q %q: %d %s", method, path, body, rec.Code, rec.Body)
		}
	})
}
