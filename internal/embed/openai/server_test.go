package openai

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/contextd/contextd/internal/embed"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server speaks the embeddings API, well or as badly as act wants.
type server struct {
	t    *testing.T
	http *httptest.Server

	mu       sync.Mutex
	dims     int
	requests [][]string
	// act handles the nth request, from 1, and returns true, or leaves it to the server.
	act func(n int, w http.ResponseWriter, r *http.Request, texts []string) bool
}

func newServer(t *testing.T, act func(n int, w http.ResponseWriter, r *http.Request, texts []string) bool) *server {
	t.Helper()
	s := &server{t: t, dims: 8, act: act}
	s.http = httptest.NewServer(s)
	t.Cleanup(s.http.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Model string
		Input []string
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.URL.Path != "/v1/embeddings" || body.Model != "m" {
		http.Error(w, "bad request of the test", http.StatusTeapot)
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, body.Input)
	n, act, dims := len(s.requests), s.act, s.dims
	s.mu.Unlock()
	if act == nil || !act(n, w, r, body.Input) {
		answer(w, body.Input, dims)
	}
}

func (s *server) calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

// change changes how the server acts.
func (s *server) change(f func(*server)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s)
}

// vectorOf is the vector of a text, of length 1: each text has its own.
func vectorOf(text string, dims int) []float32 {
	h := fnv.New64a()
	h.Write([]byte(text))
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	v := make([]float32, dims)
	for i := range v {
		v[i] = r.Float32() - .5
	}
	normalize(v)
	return v
}

// row is one element of an answer.
type row struct {
	Object    string `json:"object"`
	Embedding any    `json:"embedding"`
	Index     int    `json:"index"`
}

func rows(texts []string, dims int) []row {
	out := make([]row, len(texts))
	for i, t := range texts {
		v := vectorOf(t, dims)
		for k := range v {
			v[k] *= 3 // servers need not scale
		}
		out[i] = row{"embedding", v, i}
	}
	return out
}

func answer(w http.ResponseWriter, texts []string, dims int) { write(w, rows(texts, dims)) }

func write(w http.ResponseWriter, data []row) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "model": "m", "data": data, "usage": nil})
}

func status(w http.ResponseWriter, code int, text string) bool {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write([]byte(text))
	return true
}

// client is an Embedder of the server that does not wait long.
func (s *server) client(change func(*Options)) *Embedder {
	s.t.Helper()
	o := Options{URL: s.http.URL, Model: "m", Timeout: 10 * time.Second, BreakerFailures: 1000,
		MaxWait: 50 * time.Millisecond}
	if change != nil {
		change(&o)
	}
	e, err := New(o)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(e.Close)
	return e
}

// texts are n chunks.
func texts(n int) []embed.Text {
	out := make([]embed.Text, n)
	for i := range out {
		out[i] = embed.Text{Path: fmt.Sprintf("dir/f%d.go", i), Body: fmt.Sprintf("func Number%d() {}", i)}
	}
	return out
}

// same reports whether the vectors are those of the texts.
func same(t *testing.T, e *Embedder, got [][]float32, in []embed.Text) {
	t.Helper()
	if len(got) != len(in) {
		t.Fatalf("%d vectors for %d texts", len(got), len(in))
	}
	for i := range in {
		if !near(got[i], vectorOf(e.prompt.passage(in[i]), len(got[i]))) {
			t.Errorf("vector %d of %d is not that of its text", i, len(in))
		}
	}
}

func near(a, b []float32) bool {
	var dot float32
	for i := range a {
		dot += a[i] * b[i]
	}
	return len(a) == len(b) && dot > .9999 && dot < 1.0001
}

// filler is a text of about n bytes in lines.
func filler(n int) string { return strings.Repeat("some words on a line\n", n/21+1)[:n] }
