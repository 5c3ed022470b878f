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
		{"a\r\n\tb", `a\x0d\n\tb`, false},
		{"a\r\n\tb", `a\x0d` + "\n\tb", true},
		{"evil\u202etxt.exe", `evil\u202etxt.exe`, true},
		{"\u2066x\u2069\u200f", `\u2066x\u2069\u200f`, true},
		{"\u0085\u009b\u2028", `\u0085\u009b\u2028`, true},
		{"\xff\xfe", `\xff\xfe`, false},
		{"\ufffd", "\ufffd", false},
		{"👨\u200d👩 ❤\ufe0f\u3000x\u00a0y", "👨\u200d👩 ❤\ufe0f\u3000x\u00a0y", false},
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
