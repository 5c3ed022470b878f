package openai

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/recent"
)

func TestVectorsComeInTheOrderOfTheTextsAndOfLengthOne(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(n int, w http.ResponseWriter, r *http.Request, texts []string) bool {
		data := rows(texts, 8)
		slices.Reverse(data)
		write(w, data)
		return true
	})
	e := s.client(nil)
	if e.Dims() != 0 || e.Name() != "openai/m@"+strings.TrimPrefix(s.http.URL, "http://")+"/1" {
		t.Errorf("before the first call: %q, %d dimensions", e.Name(), e.Dims())
	}
	in := texts(70)
	got, err := e.Documents(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	same(t, e, got, in)
	if e.Dims() != 8 || s.calls() != 4 { // the probe, 32, 32, 6
		t.Errorf("%d dimensions after %d requests", e.Dims(), s.calls())
	}
	q, err := e.Query(t.Context(), "a question")
	if err != nil || !near(q, vectorOf("a question", 8)) {
		t.Errorf("question: %v, %v", q, err)
	}
	if got, err = e.Documents(t.Context(), nil); got != nil || err != nil {
		t.Errorf("no texts: %v, %v", got, err)
	}
}

const secret = "sk-verysecret123"

// asOutage are the ways of a server that is no use now; act stands in for every answer.
var misbehaviour = []struct {
	name string
	want error
	kind kind
	act  func(w http.ResponseWriter, r *http.Request, texts []string)
}{
	{"internal error", embed.ErrUnavailable, serverError, func(w http.ResponseWriter, r *http.Request, texts []string) {
		status(w, 500, `{"error":{"message":"`+secret+texts[0]+`","code":"`+secret+`"}}`)
	}},
	{"bad gateway with a page", embed.ErrUnavailable, serverError, func(
		w http.ResponseWriter, r *http.Request, texts []string,
	) {
		status(w, 502, "<html>"+secret+texts[0])
	}},
	{"loading", embed.ErrUnavailable, serverError, func(w http.ResponseWriter, r *http.Request, texts []string) {
		status(w, 503, `{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`)
	}},
	{"too many requests", embed.ErrUnavailable, rateLimited, func(
		w http.ResponseWriter, r *http.Request, texts []string,
	) {
		w.Header().Set("Retry-After", "7")
		status(w, 429, `{"error":{"message":"`+secret+`","code":"insufficient_quota"}}`)
	}},
	{"a page with status 200", embed.ErrUnavailable, badAnswer,
		func(w http.ResponseWriter, r *http.Request, texts []string) { status(w, 200, "<html>login") }},
	{"an empty answer", embed.ErrUnavailable, badAnswer,
		func(w http.ResponseWriter, r *http.Request, texts []string) {}},
	{"an error with status 200", embed.ErrUnavailable, badAnswer, func(
		w http.ResponseWriter, r *http.Request, texts []string,
	) {
		status(w, 200, `{"error":{"message":"`+secret+`"}}`)
	}},
	{"truncated JSON", embed.ErrUnavailable, badAnswer, func(w http.ResponseWriter, r *http.Request, texts []string) {
		status(w, 200, `{"data":[{"index":0,"embedding":[0.1,0.2`)
	}},
	{"a huge body", embed.ErrUnavailable, badAnswer, func(w http.ResponseWriter, r *http.Request, texts []string) {
		for range 1 << 10 {
			if _, err := w.Write(bytes.Repeat([]byte(" "), 1<<15)); err != nil {
				return
			}
		}
	}},
	{"a body shorter than said", embed.ErrUnavailable, unreachable, func(
		w http.ResponseWriter, r *http.Request, texts []string,
	) {
		w.Header().Set("Content-Length", "100000")
		status(w, 200, `{"data":[`)
	}},
	{"a reset connection", embed.ErrUnavailable, unreachable, func(
		w http.ResponseWriter, r *http.Request, texts []string,
	) {
		if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
			_ = c.(*net.TCPConn).SetLinger(0)
			c.Close()
		}
	}},
	{"a short list", embed.ErrUnavailable, badAnswer, func(w http.ResponseWriter, r *http.Request, texts []string) {
		write(w, rows(texts, 8)[1:])
	}},
	{"a long list", embed.ErrUnavailable, badAnswer, func(w http.ResponseWriter, r *http.Request, texts []string) {
		write(w, append(rows(texts, 8), rows(texts, 8)...))
	}},
	{"an index twice", embed.ErrUnavailable, badAnswer, func(w http.ResponseWriter, r *http.Request, texts []string) {
		data := append(rows(texts, 8), rows(texts, 8)...)[:max(2, len(texts))]
		for i := range data {
			data[i].Index = 0
		}
		write(w, data)
	}},
	{"an index out of range", embed.ErrUnavailable, badAnswer, func(
		w http.ResponseWriter, r *http.Request, texts []string,
	) {
		data := rows(texts, 8)
		data[0].Index = -1
		write(w, data)
	}},
	{"zero vectors", embed.ErrUnavailable, badVector, func(w http.ResponseWriter, r *http.Request, texts []string) {
		data := rows(texts, 8)
		for i := range data {
			data[i].Embedding = make([]float32, 8)
		}
		write(w, data)
	}},
	{"nulls, as servers write NaN", embed.ErrUnavailable, badVector, func(
		w http.ResponseWriter, r *http.Request, texts []string,
	) {
		data := rows(texts, 8)
		for i := range data {
			data[i].Embedding = []any{0.5, 0.1, nil, 0.3, 0.1, 0.1, 0.1, 0.1}
		}
		write(w, data)
	}},
	{"a bare NaN", embed.ErrUnavailable, badAnswer, func(w http.ResponseWriter, r *http.Request, texts []string) {
		status(w, 200, `{"data":[{"index":0,"embedding":[0.1,NaN]}]}`)
	}},
	{"a number past all floats", embed.ErrUnavailable, badAnswer, func(
		w http.ResponseWriter, r *http.Request, texts []string,
	) {
		status(w, 200, `{"data":[{"index":0,"embedding":[0.1,1e400]}]}`)
	}},
	{"empty lists", embed.ErrUnavailable, badVector, func(w http.ResponseWriter, r *http.Request, texts []string) {
		data := rows(texts, 8)
		for i := range data {
			data[i].Embedding = []float32{}
		}
		write(w, data)
	}},
	{"a wrong key", embed.ErrRefused, refused, func(w http.ResponseWriter, r *http.Request, texts []string) {
		status(w, 401, `{"error":{"message":"Incorrect API key provided: `+secret+
			`","type":"invalid_request_error","code":"invalid_api_key"}}`)
	}},
	{"a forbidden model", embed.ErrRefused, refused, func(w http.ResponseWriter, r *http.Request, texts []string) {
		status(w, 403, secret)
	}},
	{"an unknown model", embed.ErrRefused, refused, func(w http.ResponseWriter, r *http.Request, texts []string) {
		status(w, 404, `{"error":{"message":"model `+secret+` not found","type":"api_error"}}`)
	}},
	{"a redirect", embed.ErrRefused, refused, func(w http.ResponseWriter, r *http.Request, texts []string) {
		http.Redirect(w, r, "http://127.0.0.1:1/v1/embeddings", http.StatusTemporaryRedirect)
	}},
	{"every input rejected", embed.ErrRefused, rejected, func(w http.ResponseWriter, r *http.Request, texts []string) {
		status(w, 400, `{"error":{"message":"`+texts[0]+`"}}`)
	}},
	{"vectors too long", embed.ErrDimensions, dimensions, func(w http.ResponseWriter, r *http.Request, texts []string) {
		answer(w, texts, maxDims+1)
	}},
}

func TestEachMisbehaviourIsATypedErrorThatGivesNothingAway(t *testing.T) {
	t.Parallel()
	for _, tt := range misbehaviour {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var log lockedBuffer
			s := newServer(t, nil)
			e := s.client(func(o *Options) {
				o.Key, o.Tries, o.Log = secret, 2,
					slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
			})
			check := func(what string, err error) {
				t.Helper()
				var f *fault
				if !errors.Is(err, tt.want) || !embed.Failed(err) || !errors.As(err, &f) || f.kind != tt.kind {
					t.Errorf("%s: %v, want %v (%s)", what, err, tt.want, tt.kind)
					return
				}
				for _, other := range []error{embed.ErrUnavailable, embed.ErrRefused, embed.ErrDimensions} {
					if other != tt.want && errors.Is(err, other) {
						t.Errorf("%s: %v is %v too", what, err, other)
					}
				}
				if text := err.Error() + f.Hint() + log.String(); strings.Contains(text, secret) ||
					strings.Contains(text, "Number") || strings.Contains(text, "dir/f") {
					t.Errorf("%s gives away a key or a text: %s", what, text)
				}
			}
			bad := func(n int, w http.ResponseWriter, r *http.Request, texts []string) bool {
				tt.act(w, r, texts)
				return true
			}
			s.change(func(s *server) { s.act = bad })
			check("probe", e.Probe(t.Context()))
			if e.Dims() != 0 && tt.kind != badVector {
				t.Errorf("learned %d dimensions", e.Dims())
			}
			_, err := e.Query(t.Context(), "Number 5")
			check("query", err)
			s.change(func(s *server) { s.act = nil })
			if err := e.Probe(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.change(func(s *server) { s.act = bad })
			got, err := e.Documents(t.Context(), texts(3))
			if got != nil {
				t.Errorf("vectors beside an error: %v", got)
			}
			check("documents", err)
			s.change(func(s *server) { s.act = nil })
			in := texts(3)
			if got, err = e.Documents(t.Context(), in); err != nil {
				if tt.kind != dimensions {
					t.Fatal("after it is well again: ", err)
				}
				return
			}
			same(t, e, got, in)
		})
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestAServerThatIsNotThereIsAnOutage(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	e := s.client(func(o *Options) { o.Tries = 1 })
	s.http.Close()
	if _, err := e.Documents(t.Context(), texts(1)); !errors.Is(err, embed.ErrUnavailable) ||
		!strings.Contains(err.Error(), "refused") {
		t.Errorf("got %v", err)
	}
}

// hang answers nothing until the client or the test ends.
func hang(t *testing.T, after string) func(int, http.ResponseWriter, *http.Request, []string) bool {
	ended := make(chan struct{})
	t.Cleanup(func() { close(ended) })
	return func(n int, w http.ResponseWriter, r *http.Request, texts []string) bool {
		if after != "" {
			_, _ = w.Write([]byte(after))
			w.(http.Flusher).Flush()
		}
		select {
		case <-r.Context().Done():
		case <-ended:
		}
		return true
	}
}

func TestAServerThatHangsIsAnOutageOnce(t *testing.T) {
	t.Parallel()
	for _, begun := range []string{"", `{"data":[`} {
		s := newServer(t, nil)
		s.change(func(s *server) { s.act = hang(t, begun) })
		e := s.client(func(o *Options) { o.Timeout = 50 * time.Millisecond })
		_, err := e.Documents(t.Context(), texts(1))
		var f *fault
		if !errors.As(err, &f) || f.kind != timeout || !errors.Is(err, embed.ErrUnavailable) || s.calls() != 1 {
			t.Errorf("begun with %q: %v after %d requests; want one timeout", begun, err, s.calls())
		}
	}
}

func TestAQuestionEndsWithItsDeadlineAndPassesDocuments(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	e := s.client(func(o *Options) { o.Parallel = 1 })
	if err := e.Probe(t.Context()); err != nil {
		t.Fatal(err)
	}
	stuck := hang(t, "")
	s.change(func(s *server) {
		s.act = func(n int, w http.ResponseWriter, r *http.Request, texts []string) bool {
			return strings.Contains(texts[0], "Number") && stuck(n, w, r, texts)
		}
	})
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error)
	go func() {
		_, err := e.Documents(ctx, texts(40))
		ended <- err
	}()
	for s.calls() < 2 {
		time.Sleep(time.Millisecond)
	}
	if _, err := e.Query(t.Context(), "quick"); err != nil {
		t.Errorf("a question beside stuck documents: %v", err)
	}
	late, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	if _, err := e.Query(late, "Number of what"); !errors.Is(err, embed.ErrUnavailable) {
		t.Errorf("a question past its deadline: %v", err)
	}
	why := errors.New("the run stops")
	cancel(why)
	if err := <-ended; err != why {
		t.Errorf("documents nobody waits for: %v; want the caller's cause", err)
	}
}

func TestAFailureIsTriedAgainAndRetryAfterIsHonoured(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(n int, w http.ResponseWriter, r *http.Request, texts []string) bool {
		switch n {
		case 1:
			return status(w, 503, "")
		case 2:
			w.Header().Set("Retry-After-Ms", "20")
			return status(w, 429, "")
		}
		return false
	})
	e := s.client(func(o *Options) { o.MaxWait = time.Second })
	in := texts(2)
	got, err := e.Documents(t.Context(), in)
	if err != nil || s.calls() != 4 {
		t.Fatalf("%v after %d requests", err, s.calls())
	}
	same(t, e, got, in)

	s.change(func(s *server) {
		s.act = func(n int, w http.ResponseWriter, r *http.Request, texts []string) bool {
			w.Header().Set("Retry-After", "30")
			return status(w, 429, "")
		}
	})
	before := s.calls()
	_, err = e.Documents(t.Context(), texts(3)[2:])
	if embed.RetryAfter(err) != 30*time.Second || s.calls() != before+1 {
		t.Errorf("a wait that is too long: %v after %d requests, to be asked again in %v", err, s.calls()-before,
			embed.RetryAfter(err))
	}
}

func TestRetryAfterInEveryForm(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tt := range []struct {
		name, value string
		want        time.Duration
	}{
		{"Retry-After", "3", 3 * time.Second},
		{"Retry-After", "0.5", 500 * time.Millisecond},
		{"Retry-After-Ms", "250", 250 * time.Millisecond},
		{"Retry-After", "Fri, 02 Jan 2026 03:05:05 GMT", time.Minute},
		{"Retry-After", "Fri, 02 Jan 2026 03:00:00 GMT", 0},
		{"Retry-After", "-4", 0},
		{"Retry-After", "NaN", 0},
		{"Retry-After", "1e300", maxAfter},
		{"Retry-After", "soon", 0},
		{"X", "", 0},
	} {
		if got := retryAfter(http.Header{tt.name: {tt.value}}, now); got != tt.want {
			t.Errorf("%s: %s: %v, want %v", tt.name, tt.value, got, tt.want)
		}
	}
}

func TestDimensionsThatChangeAreAnErrorAndThenReplaced(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	e := s.client(nil)
	in := texts(5)
	if _, err := e.Documents(t.Context(), in[:3]); err != nil {
		t.Fatal(err)
	}
	s.change(func(s *server) { s.dims = 12 })
	if got, err := e.Documents(t.Context(), in); !errors.Is(err, embed.ErrDimensions) || got != nil {
		t.Errorf("vectors of another length: %v", err)
	}
	if e.Dims() != 0 {
		t.Errorf("still %d dimensions", e.Dims())
	}
	got, err := e.Documents(t.Context(), in) // none of the old ones may come from the cache
	if err != nil || e.Dims() != 12 {
		t.Fatalf("%d dimensions, %v", e.Dims(), err)
	}
	same(t, e, got, in)
	s.change(func(s *server) {
		s.act = func(n int, w http.ResponseWriter, r *http.Request, texts []string) bool {
			data := rows(texts, 12)
			data[len(data)-1].Embedding = vectorOf("x", 5)
			write(w, data)
			return true
		}
	})
	if _, err := e.Documents(t.Context(), texts(9)[6:]); !errors.Is(err, embed.ErrDimensions) {
		t.Errorf("two lengths in one answer: %v", err)
	}
}

func TestAnInputThatIsTooLongIsEmbeddedByItsPartsAndHurtsNoOther(t *testing.T) {
	t.Parallel()
	for _, code := range []int{400, 413, 422, 500} {
		s := newServer(t, nil)
		s.change(func(s *server) {
			s.act = func(n int, w http.ResponseWriter, r *http.Request, texts []string) bool {
				for _, text := range texts {
					if len(text) > 600 {
						return status(w, code,
							`{"error":{"message":"input is too long","type":"invalid_request_error"}}`)
					}
				}
				return false
			}
		})
		e := s.client(func(o *Options) { o.Tries = 1 })
		in := texts(5)
		in[3].Body = filler(2000)
		got, err := e.Documents(t.Context(), in)
		if err != nil {
			t.Fatalf("status %d: %v", code, err)
		}
		var length float64
		for _, x := range got[3] {
			length += float64(x) * float64(x)
		}
		if math.Abs(length-1) > 1e-3 {
			t.Errorf("status %d: a vector of length² %v for the text in parts", code, length)
		}
		got[3], in[3] = got[4], in[4]
		same(t, e, got, in)
	}
}

func TestAnInputThatNothingHelpsIsLeftWithoutAVector(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(w http.ResponseWriter, texts []string, i int){
		"rejected": func(w http.ResponseWriter, texts []string, i int) { status(w, 400, "") },
		"fails":    func(w http.ResponseWriter, texts []string, i int) { status(w, 500, "") },
		"null": func(w http.ResponseWriter, texts []string, i int) {
			data := rows(texts, 8)
			data[i].Embedding = []any{nil, 1.5, 1, 1, 1, 1, 1, 1}
			write(w, data)
		},
	} {
		s := newServer(t, func(n int, w http.ResponseWriter, r *http.Request, texts []string) bool {
			i := slices.IndexFunc(texts, func(t string) bool { return strings.Contains(t, "poison") })
			if i >= 0 {
				act(w, texts, i)
			}
			return i >= 0
		})
		e := s.client(func(o *Options) { o.Tries = 1 })
		in := texts(6)
		in[2].Body = "poison"
		got, err := e.Documents(t.Context(), in)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(got[2]) != 8 || !zero(got[2]) {
			t.Errorf("%s: vector %v; want zeros", name, got[2])
		}
		got[2], in[2] = got[1], in[1]
		same(t, e, got, in)
	}
}

func TestAServerThatTakesFewerTextsIsSentFewer(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(n int, w http.ResponseWriter, r *http.Request, texts []string) bool {
		return len(texts) > 8 && status(w, 422, `{"message":"batch size > maximum allowed batch size 8"}`)
	})
	e := s.client(func(o *Options) { o.Parallel = 1 })
	in := texts(200)
	got, err := e.Documents(t.Context(), in[:40])
	if err != nil {
		t.Fatal(err)
	}
	same(t, e, got, in[:40])
	before := s.calls()
	if got, err = e.Documents(t.Context(), in[40:]); err != nil {
		t.Fatal(err)
	}
	same(t, e, got, in[40:])
	if n := s.calls() - before; n != 20 {
		t.Errorf("%d requests for 160 texts; want 20 of 8", n)
	}
}

func TestALongQuestionIsCutUntilItIsTaken(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(n int, w http.ResponseWriter, r *http.Request, texts []string) bool {
		return len(texts[0]) > 2500 && status(w, 400, "")
	})
	e := s.client(nil)
	if v, err := e.Query(t.Context(), strings.Repeat("ä", 1<<20)); err != nil || len(v) != 8 || s.calls() != 3 {
		t.Errorf("%v, %v after %d requests", v, err, s.calls())
	}
}

func TestConcurrentCallsShareRequests(t *testing.T) {
	t.Parallel()
	first, open := make(chan struct{}), make(chan struct{})
	s := newServer(t, func(n int, w http.ResponseWriter, r *http.Request, texts []string) bool {
		if n == 2 { // after the probe
			close(first)
			<-open
		}
		return false
	})
	e := s.client(func(o *Options) { o.Parallel = 1 })
	in := texts(129)
	var calls sync.WaitGroup
	ask := func(part []embed.Text) {
		calls.Go(func() {
			got, err := e.Documents(t.Context(), part)
			if err != nil {
				t.Error(err)
				return
			}
			same(t, e, got, part)
		})
	}
	ask(in[:1])
	<-first
	for i := 1; i < len(in); i += 2 {
		ask(in[i : i+2])
	}
	for waiting := 0; waiting < 128; {
		time.Sleep(time.Millisecond)
		e.line.mu.Lock()
		waiting = len(e.line.waiting)
		e.line.mu.Unlock()
	}
	close(open)
	calls.Wait()
	if s.calls() != 2+4 {
		t.Errorf("%d requests for 64 calls of 2 texts; want 4 of 32", s.calls()-2)
	}
}

func TestTextsThatComeAgainAreNotSentAgain(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	e := s.client(nil)
	in := texts(10)
	for range 3 {
		got, err := e.Documents(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		same(t, e, got, in)
	}
	if s.calls() != 2 {
		t.Errorf("%d requests; want the probe and one", s.calls())
	}
	c := recent.New[int](3*(4*8+64), vectorBytes) // three vectors a half
	for i := range 100 {
		c.Put(i, make([]float32, 8))
		c.Get(0) // used again and again
	}
	has := func(i int) bool { _, ok := c.Get(i); return ok }
	if c.Len() > 6 || !has(0) || has(50) || !has(99) {
		t.Error("the cache does not keep what is used and drop the rest")
	}
}

func TestTheBreakerOpensTriesAndCloses(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	down := func(n int, w http.ResponseWriter, r *http.Request, texts []string) bool { return status(w, 503, "") }
	s.change(func(s *server) { s.act = down })
	e := s.client(func(o *Options) {
		o.Tries, o.BreakerFailures, o.BreakerMin, o.BreakerMax = 1, 3, time.Hour, 2*time.Hour
	})
	for range 3 {
		if err := e.Ready(); err != nil {
			t.Fatalf("open too early: %v", err)
		}
		_, _ = e.Query(t.Context(), "x")
	}
	_, err := e.Query(t.Context(), "x")
	if s.calls() != 3 || !errors.Is(err, embed.ErrUnavailable) || embed.RetryAfter(err) <= 0 ||
		!errors.Is(e.Ready(), embed.ErrUnavailable) {
		t.Fatalf("after 3 failures: %d requests, %v", s.calls(), err)
	}
	over := func() {
		e.breaker.mu.Lock()
		e.breaker.until = time.Time{}
		e.breaker.mu.Unlock()
	}
	over()
	if _, err = e.Query(t.Context(), "x"); s.calls() != 4 || err == nil || e.breaker.pause != 2*time.Hour {
		t.Fatalf("half-open: %d requests, %v, pause %v", s.calls(), err, e.breaker.pause)
	}
	over()
	release := make(chan struct{})
	s.change(func(s *server) {
		s.act = func(n int, w http.ResponseWriter, r *http.Request, texts []string) bool { <-release; return false }
	})
	ended := make(chan error)
	go func() {
		_, err := e.Query(t.Context(), "trial")
		ended <- err
	}()
	for s.calls() < 5 {
		time.Sleep(time.Millisecond)
	}
	if _, err = e.Query(t.Context(), "x"); err == nil || s.calls() != 5 {
		t.Errorf("a second request while one tries the server: %v", err)
	}
	close(release)
	if err := <-ended; err != nil || e.Ready() != nil {
		t.Errorf("it answers again: %v, %v", err, e.Ready())
	}
	if _, err = e.Query(t.Context(), "x"); err != nil {
		t.Error(err)
	}
}

func TestOneProbeServesAllWhoWait(t *testing.T) {
	t.Parallel()
	open := make(chan struct{})
	s := newServer(t, func(n int, w http.ResponseWriter, r *http.Request, texts []string) bool {
		<-open
		return status(w, 503, "")
	})
	e := s.client(func(o *Options) { o.Tries = 1 })
	errs := make(chan error, 20)
	for range 20 {
		go func() { errs <- e.Probe(t.Context()) }()
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.Probe(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that gave up: %v", err)
	}
	close(open)
	for range 20 {
		if err := <-errs; !errors.Is(err, embed.ErrUnavailable) {
			t.Error(err)
		}
	}
}

func TestNothingHangsOnceItIsClosed(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	e := s.client(nil)
	if err := e.Probe(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.change(func(s *server) { s.act = hang(t, "") })
	ended := make(chan error)
	go func() {
		_, err := e.Documents(t.Context(), texts(1))
		ended <- err
	}()
	for s.calls() < 2 {
		time.Sleep(time.Millisecond)
	}
	e.Close()
	if err := <-ended; !errors.Is(err, embed.ErrUnavailable) {
		t.Error(err)
	}
}
