package obs

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestHealthAndReadiness(t *testing.T) {
	t.Parallel()
	var cause error
	srv := httptest.NewServer(Handler(func(context.Context) error { return cause }))
	defer srv.Close()
	get := func(path string) (int, string) {
		t.Helper()
		resp, err := srv.Client().Get(srv.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(body)
	}
	if code, body := get("/readyz"); code != 200 || body != "{\"ready\":true}\n" {
		t.Errorf("/readyz: %d %s", code, body)
	}
	cause = errors.New("ping Redis: connection refused")
	if code, body := get("/readyz"); code != 503 ||
		!strings.Contains(body, `"reason":"ping Redis: connection refused"`) {
		t.Errorf("/readyz: %d %s", code, body)
	}
	if code, _ := get("/healthz"); code != 200 {
		t.Errorf("/healthz: %d", code)
	}
	code, body := get("/metrics")
	for _, name := range []string{
		"contextd_embed_seconds_count 0", "contextd_embed_breaker_open 0", "go_goroutines",
		"process_start_time_seconds",
	} {
		if code != 200 || !strings.Contains(body, name) {
			t.Errorf("/metrics (%d) lacks %q", code, name)
		}
	}
	if code, _ := get("/other"); code != 404 {
		t.Errorf("/other: %d", code)
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(l.Addr().String()); err == nil || !strings.Contains(err.Error(), "listen on") {
		t.Errorf("an address in use: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		done <- Serve(ctx, l, Handler(func(context.Context) error { return nil }), slog.New(slog.DiscardHandler))
	}()
	resp, err := http.Get("http://" + l.Addr().String() + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A page in a browser that makes its own name mean 127.0.0.1 learns nothing from here.
func TestForeignHostsAreRefusedOnLoopback(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(Handler(func(context.Context) error { return nil }))
	defer srv.Close()
	ask := func(method, host, path string) *http.Response {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, srv.URL+path,
			strings.NewReader(strings.Repeat("x", 1<<16)))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		resp, err := srv.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp
	}
	for host, want := range map[string]int{"": 200, "localhost": 200, "LOCALHOST:9464": 200, "localhost.": 200,
		"web.localhost": 200, "127.0.0.1:9464": 200,
		"[::1]:9464": 200, "[::1]": 200, "192.168.1.2": 200, "evil.example": 403, "evil.example:9464": 403,
		"localhost.evil.example": 403,
		"evillocalhost":          403, "127.0.0.1.evil.example": 403, "x": 403} {
		for _, path := range []string{"/metrics", "/healthz", "/readyz", "/none"} {
			status := want
			if path == "/none" && want == 200 {
				status = 404
			}
			if resp := ask("GET", host, path); resp.StatusCode != status ||
				resp.Header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s of %q: %d, want %d", path, host, resp.StatusCode, status)
			}
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS"} {
		if resp := ask(method, "", "/metrics"); resp.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("%s /metrics: %d", method, resp.StatusCode)
		}
	}
	// Behind another address a name may be a cluster's.
	rec := httptest.NewRecorder()
	Handler(func(context.Context) error {
		return nil
	}).ServeHTTP(rec, httptest.NewRequest("GET", "http://indexer.ns.svc.cluster.local:9464/healthz", nil))
	if rec.Code != 200 {
		t.Errorf("a cluster's name: %d", rec.Code)
	}
}

// A header over the limit ends the request.
func TestHeadersAreLimited(t *testing.T) {
	t.Parallel()
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		done <- Serve(ctx, l, Handler(func(context.Context) error { return nil }), slog.New(slog.DiscardHandler))
	}()
	req, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+l.Addr().String()+"/healthz", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Long", strings.Repeat("x", 64<<10))
	client := &http.Client{Transport: &http.Transport{}}
	resp, err := client.Do(req)
	if err != nil || resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a header of 64 KB: %v, %v", resp, err)
	} else {
		resp.Body.Close()
	}
	client.CloseIdleConnections()
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Whatever a peer calls a project stays within its label.
func TestHostileLabelsStayLabels(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "g", Help: "x"}, []string{"project"})
	reg.MustRegister(g)
	g.WithLabelValues("a\"} 1\nevil{x=\"\\").Set(1)
	rec := httptest.NewRecorder()
	promhttp.HandlerFor(reg, promhttp.HandlerOpts{}).ServeHTTP(rec, httptest.NewRequest("GET", "/metrics", nil))
	if lines := strings.Split(strings.TrimSpace(rec.Body.String()), "\n"); len(lines) != 3 ||
		lines[2] != `g{project="a\"} 1\nevil{x=\"\\"} 1` {
		t.Errorf("metrics:\n%s", rec.Body)
	}
}
