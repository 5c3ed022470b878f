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

func TestCleanNeutralisesWhatTerminalsObey(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in, want string
		lines    bool
	}{
		{"plain text, größer, 日本語 😀", "plain text, größer, 日本語 😀", false},
		{"a\x1b[31mred", `a\x1b[31mred`, false},
		{"a\r\n\tb", `a\r\n\tb`, false},
		{"a\r\n\tb", `a\r` + "\n\tb", true},
		{"evil\u202etxt.exe", `evil\u202etxt.exe`, true},
		{"\u2066x\u2069\u200f", `\u2066x\u2069\u200f`, true},
		{"\u0085\u009b\u2028", `\u0085\u009b\u2028`, true},
		{"\xff\xfe", `\xff\xfe`, false},
		{"\ufffd", "\ufffd", false},
		{"👨\u200d👩 ❤\ufe0f\u3000x\u00a0y", "👨\u200d👩 ❤\ufe0f\u3000x\u00a0y", false},
		{"🏳\ufe0f\u200d🌈 👩🏽\u200d🚀 1\ufe0f\u20e3 ❤\ufe0e ℹ\ufe0f", "🏳\ufe0f\u200d🌈 👩🏽\u200d🚀 1\ufe0f\u20e3 ❤\ufe0e ℹ\ufe0f", false},
		{"می\u200cخواهم क्\u200cष", "می\u200cخواهم क्\u200cष", false},
		{"x\ufe0fy 👩\u200dx x\u200d👩 \u200d ❤\ufe0f\ufe0f 1\ufe0f \ufe0f", `x\ufe0fy 👩\u200dx x\u200d👩 \u200d ❤` + "\ufe0f" + `\ufe0f 1\ufe0f \ufe0f`, false},
		{"\U000e0041", `\U000e0041`, false},
		{"", "", false},
	} {
		if got := Clean(tt.in, tt.lines); got != tt.want {
			t.Errorf("Clean(%q, %v) = %q, want %q", tt.in, tt.lines, got, tt.want)
		}
	}
}

func FuzzCleanHasNoControlCharacter(f *testing.F) {
	f.Add("a\x1b\u202e\xff")
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range Clean(s, false) {
			if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
				t.Fatalf("%q left in %q", r, Clean(s, false))
			}
		}
	})
}

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
	if code, body := get("/readyz"); code != 503 || !strings.Contains(body, `"reason":"ping Redis: connection refused"`) {
		t.Errorf("/readyz: %d %s", code, body)
	}
	if code, _ := get("/healthz"); code != 200 {
		t.Errorf("/healthz: %d", code)
	}
	code, body := get("/metrics")
	for _, name := range []string{"contextd_embed_seconds_count 0", "contextd_embed_breaker_open 0", "go_goroutines", "process_start_time_seconds"} {
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
		req, err := http.NewRequestWithContext(t.Context(), method, srv.URL+path, strings.NewReader(strings.Repeat("x", 1<<16)))
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
	for host, want := range map[string]int{"": 200, "localhost": 200, "LOCALHOST:9464": 200, "localhost.": 200, "web.localhost": 200, "127.0.0.1:9464": 200,
		"[::1]:9464": 200, "[::1]": 200, "192.168.1.2": 200, "evil.example": 403, "evil.example:9464": 403, "localhost.evil.example": 403,
		"evillocalhost": 403, "127.0.0.1.evil.example": 403, "x": 403} {
		for _, path := range []string{"/metrics", "/healthz", "/readyz", "/none"} {
			status := want
			if path == "/none" && want == 200 {
				status = 404
			}
			if resp := ask("GET", host, path); resp.StatusCode != status || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
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
	Handler(func(context.Context) error { return nil }).ServeHTTP(rec, httptest.NewRequest("GET", "http://indexer.ns.svc.cluster.local:9464/healthz", nil))
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
	if lines := strings.Split(strings.TrimSpace(rec.Body.String()), "\n"); len(lines) != 3 || lines[2] != `g{project="a\"} 1\nevil{x=\"\\"} 1` {
		t.Errorf("metrics:\n%s", rec.Body)
	}
}

func TestCutEndsWithinNoRune(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		text string
		n    int
		want string
	}{{"abc", 3, "abc"}, {"abc", 2, "ab"}, {"aé", 2, "a"}, {"aé", 3, "aé"}, {"世界", 5, "世"}, {"世", 2, ""}, {"", 0, ""}, {"a", 0, ""}} {
		if got := Cut(x.text, x.n); got != x.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", x.text, x.n, got, x.want)
		}
	}
}
