package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/contextd/contextd/internal/cli"
)

// lines is stderr that a test reads line by line while the command runs.
type lines struct {
	mu   sync.Mutex
	cond *sync.Cond
	b    bytes.Buffer
	eof  bool
}

func newLines() *lines {
	l := &lines{}
	l.cond = sync.NewCond(&l.mu)
	return l
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.b.Write(p)
	l.cond.Broadcast()
	return len(p), nil
}

func (l *lines) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.eof = true
	l.cond.Broadcast()
}

// attr waits for a log line with a message and returns one of its attributes.
func (l *lines) attr(t *testing.T, msg, key string) string {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		for line := range strings.Lines(l.b.String()) {
			var m map[string]any
			if json.Unmarshal([]byte(line), &m) == nil && m["msg"] == msg {
				s, _ := m[key].(string)
				return s
			}
		}
		if l.eof {
			t.Fatalf("the command ended: %s", l.b.String())
		}
		l.cond.Wait()
	}
}

// The server is stopped by its context, as a signal does it, and ends with 0.
func TestServeAnswersUntilStopped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root, token := filepath.Join(dir, "tree"), filepath.Join(dir, "token")
	if err := os.MkdirAll(root, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "gate.go"), []byte("package harbour\n\nfunc OpenGate() {}\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(token, []byte("0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	errs, status := newLines(), make(chan int)
	go func() {
		var out bytes.Buffer
		code := cli.Run(ctx, command(),
			[]string{"serve", "--listen", "127.0.0.1:0", "--allow-root", root, "--token-file", token, "--redis", "off",
				"--state-dir", filepath.Join(dir, "state"), "--log-format", "json"}, &out, errs)
		errs.end()
		status <- code
	}()
	base := "http://" + errs.attr(t, "serving", "listen")
	ask := func(auth string) (int, string) {
		body, _ := json.Marshal(map[string]any{"query": "OpenGate", "root": root, "deadline_ms": 10000})
		req, err := http.NewRequestWithContext(t.Context(), "POST", base+"/v1/search", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", auth)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var b bytes.Buffer
		if _, err := b.ReadFrom(resp.Body); err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, b.String()
	}
	if code, _ := ask(""); code != http.StatusUnauthorized {
		t.Errorf("without a token: %d", code)
	}
	if code, body := ask("Bearer 0123456789abcdef"); code != 200 || !strings.Contains(body, `"path":"gate.go"`) {
		t.Errorf("with the token: %d %s", code, body)
	}
	http.DefaultClient.CloseIdleConnections()
	stop()
	if code := <-status; code != 0 {
		t.Errorf("exit status %d: %s", code, errs.b.String())
	}
}
