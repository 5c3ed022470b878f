package rerank

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// server is a chat server whose handler gives the text of each reply.
type server struct {
	*httptest.Server
	requests atomic.Int64
}

func serve(t *testing.T, handle http.HandlerFunc) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		body, _ := io.ReadAll(r.Body) // what is not read keeps the server from noticing that the client went away
		r.Body = io.NopCloser(bytes.NewReader(body))
		handle(w, r)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// say replies with a text.
func say(w http.ResponseWriter, text string) {
	_ = json.NewEncoder(w).Encode(
		map[string]any{
			"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": text}}}})
}

func client(t *testing.T, url string, change ...func(*Options)) *Client {
	t.Helper()
	o := Options{URL: url, Model: "m", Key: "sesame"}
	for _, c := range change {
		c(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func candidates(n int) (list []Candidate) {
	for i := range n {
		list = append(list, Candidate{Path: fmt.Sprintf("quay%d.go", i), Start: 1, End: 9, Symbol: "Moor",
			Text: "func Moor() {}"})
	}
	return list
}

func TestOneRequestTellsWhatTheModelNeedsWithinItsBounds(t *testing.T) {
	t.Parallel()
	var path, auth, body string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		path, auth, body = r.URL.Path, r.Header.Get("Authorization"), string(data)
		say(w, "2,1")
	})
	list := candidates(MaxCandidates)
	for i := range list {
		list[i].Text, list[i].Path, list[i].Symbol = list[i].Text+strings.Repeat("é", 5000),
			list[i].Path+strings.Repeat("p", 5000), strings.Repeat("s", 5000)
	}
	order, err := client(t, s.URL).Rerank(t.Context(), "where do ships moor?"+strings.Repeat("?", 50_000), list)
	if err != nil || len(order) != MaxCandidates || order[0] != 1 || order[1] != 0 {
		t.Fatalf("%v, %v", order, err)
	}
	if path != "/v1/chat/completions" || auth != "Bearer sesame" || len(body) > 50_000 {
		t.Errorf("%s with %q and %d bytes", path, auth, len(body))
	}
	for _, want := range []string{"where do ships moor?", "quay29.go", `1-9`, "func Moor()"} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is not told: %.300s", want, body)
		}
	}
	if _, err := client(t, s.URL).Rerank(t.Context(), "q", candidates(MaxCandidates+1)); err == nil {
		t.Error("more candidates than may be sent are taken")
	}
}

func TestTheSameQuestionOverTheSameLinesIsAskedOnce(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { say(w, "3,1,2") })
	c, list := client(t, s.URL), candidates(3)
	changed := slices.Clone(list)
	changed[1].Text += " // changed"
	for i, x := range []struct {
		question string
		list     []Candidate
		requests int64
	}{{"a", list, 1}, {"a", list, 1}, {"b", list, 2}, {"a", changed, 3}, {"a", list, 3}} {
		order, err := c.Rerank(t.Context(), x.question, x.list)
		if err != nil || !slices.Equal(order, []int{2, 0, 1}) || s.requests.Load() != x.requests {
			t.Errorf("question %d: %v, %v after %d requests, want %d", i+1, order, err, s.requests.Load(), x.requests)
		}
	}
}

func TestOrdersThatAreKeptAreBounded(t *testing.T) {
	t.Parallel()
	c, err := New(Options{URL: "http://127.0.0.1:1", Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 * maxOrders {
		c.cache.Put([32]byte{byte(i), byte(i >> 8)}, []int{0, 1})
	}
	if n := c.cache.Len(); n > maxOrders {
		t.Errorf("%d orders are kept, want at most %d", n, maxOrders)
	}
}

func TestBadServersGiveAnErrorThatHoldsNothingOfTheirs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		handle http.HandlerFunc
		want   error
	}{
		{"status 500", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "evil", 500) }, ErrUnavailable},
		{"status 401", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(401)
			_, _ = io.WriteString(w, `{"error":{"message":"evil","code":"evil"}}`)
		}, ErrUnavailable},
		{"a redirect", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/evil" {
				say(w, "1,2")
			}
			http.Redirect(w, r, "/evil", http.StatusTemporaryRedirect)
		}, ErrUnavailable},
		{"a connection that ends", func(http.ResponseWriter, *http.Request) {
			panic(http.ErrAbortHandler)
		}, ErrUnavailable},
		{"half a body", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, `{"choices":`)
		}, ErrUnavailable},
		{"no JSON", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<evil>") }, ErrReply},
		{"no choice", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"choices":[]}`)
		}, ErrReply},
		{"a sentence", func(w http.ResponseWriter, _ *http.Request) { say(w, "evil 1,2") }, ErrReply},
		{"a number twice", func(w http.ResponseWriter, _ *http.Request) { say(w, "1,1") }, ErrReply},
		{"a body without end", func(w http.ResponseWriter, _ *http.Request) {
			for chunk := []byte(strings.Repeat(" ", 1<<16)); ; {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}, ErrReply},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, c.handle)
			order, err := client(t, s.URL).Rerank(t.Context(), "q", candidates(2))
			if order != nil || !errors.Is(err, c.want) || strings.Contains(err.Error(), "evil") ||
				strings.Contains(err.Error(), "sesame") {
				t.Errorf("%v, %v, want %v", order, err, c.want)
			}
			if n := s.requests.Load(); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
		})
	}
}

func TestASlowServerIsGivenUpAtTheDeadline(t *testing.T) {
	t.Parallel()
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if order, err := client(t, s.URL).Rerank(ctx, "q", candidates(2)); order != nil || !errors.Is(err, ErrLate) {
		t.Errorf("under the question's deadline: %v, %v", order, err)
	}
	c := client(t, s.URL, func(o *Options) { o.Limit = 50 * time.Millisecond })
	if order, err := c.Rerank(t.Context(), "q", candidates(2)); order != nil || !errors.Is(err, ErrLate) {
		t.Errorf("under the limit of a request: %v, %v", order, err)
	}
}

func TestAServerThatKeepsFailingIsLeftAloneForAWhile(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) })
	c := client(t, s.URL)
	for range 2 * maxFailures {
		if _, err := c.Rerank(t.Context(), "q", candidates(2)); !errors.Is(err, ErrUnavailable) {
			t.Fatal(err)
		}
	}
	if n := s.requests.Load(); n != maxFailures {
		t.Errorf("%d requests, want %d", n, maxFailures)
	}
	c.until = time.Time{} // the pause is over
	if _, err := c.Rerank(t.Context(), "q", candidates(2)); err == nil || s.requests.Load() != maxFailures+1 {
		t.Errorf("after the pause: %v, %d requests", err, s.requests.Load())
	}
}

func TestTextGoesOverHTTPSOrToThisMachineOnly(t *testing.T) {
	t.Parallel()
	for url, fine := range map[string]bool{
		"https://models.example": true, "https://models.example/v1": true, "http://127.0.0.1:1/v1": true,
		"http://[::1]:1": true, "http://localhost:1": true,
		"http://models.example": false, "http://127.0.0.1.example": false, "http://10.0.0.1": false,
		"https://u:secretword@models.example": false,
		"ftp://127.0.0.1":                     false, "https://": false, "https://models.example?k=secretword": false,
		"https://u:secretword@models.example:x": false, "": false,
	} {
		_, err := New(Options{URL: url, Model: "m"})
		if (err == nil) != fine || err != nil && strings.Contains(err.Error(), "secretword") {
			t.Errorf("%q: %v, want it taken: %v", url, err, fine)
		}
	}
	for _, o := range []Options{
		{URL: "https://models.example"},
		{URL: "https://models.example", Model: "a b"},
		{URL: "https://models.example", Model: "m", Key: "a\nb"},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("model %q and key %q are taken", o.Model, o.Key)
		}
	}
}
