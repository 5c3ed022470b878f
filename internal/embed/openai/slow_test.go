package openai

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/embed"
)

// slowly answers after each for each text, or hangs on one that holds stuck.
func slowly(
	t *testing.T, each time.Duration, stuck string,
) func(int, http.ResponseWriter, *http.Request, []string) bool {
	ended := make(chan struct{})
	t.Cleanup(func() { close(ended) })
	return func(n int, w http.ResponseWriter, r *http.Request, texts []string) bool {
		wait := time.Duration(len(texts)) * each
		if texts[0] == probeText {
			wait = 0 // nothing tells beforehand
		}
		for _, t := range texts {
			if stuck != "" && strings.Contains(t, stuck) {
				wait = time.Hour
			}
		}
		select {
		case <-time.After(wait):
			return false
		case <-r.Context().Done():
			return true
		case <-ended:
			return true
		}
	}
}

func TestASlowServerIsSentSmallerBatchesUntilItAnswersInTime(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	s.change(func(s *server) { s.act = slowly(t, 60*time.Millisecond, "") })
	e := s.client(func(o *Options) { o.Timeout = time.Second })
	in := texts(32) // 1.9 s
	got, err := e.Documents(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	same(t, e, got, in)
	if n := e.line.size(); n > 8 {
		t.Errorf("%d texts of a request that has 1 s, at 60 ms each", n)
	}
	s.change(func(s *server) { s.act = nil })
	if _, err = e.Documents(t.Context(), texts(200)[32:]); err != nil {
		t.Fatal(err)
	}
	if n := e.line.size(); n != 32 {
		t.Errorf("%d texts of a request once the server is fast", n)
	}
}

func TestVectorsMadeBeforeATimeoutAreKeptAndNotAskedForAgain(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	s.change(func(s *server) { s.act = slowly(t, 0, "Number7()") })
	e := s.client(func(o *Options) { o.Timeout = 300 * time.Millisecond })
	var beats atomic.Int64
	ctx := embed.WithProgress(t.Context(), func() { beats.Add(1) })
	in := texts(8)
	if _, err := e.Documents(ctx, in); !errors.Is(err, embed.ErrUnavailable) {
		t.Fatalf("a text that never comes: %v", err)
	}
	if beats.Load() < 3 {
		t.Errorf("%d signs of progress", beats.Load())
	}
	before := s.calls()
	got, err := e.Documents(t.Context(), in[:7])
	if err != nil || s.calls() != before {
		t.Fatalf("%v after %d more requests", err, s.calls()-before)
	}
	same(t, e, got, in[:7])
}

func TestAServerThatStopsAnsweringIsAskedTwiceAndNoMore(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	e := s.client(func(o *Options) { o.Timeout = time.Second })
	if err := e.Probe(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.change(func(s *server) { s.act = hang(t, "") })
	if _, err := e.Documents(t.Context(), texts(32)); !errors.Is(err, embed.ErrUnavailable) || s.calls() != 3 {
		t.Errorf("%v after %d requests; want the batch and a short text", err, s.calls()-1)
	}
}

func TestAServerThatSaysWhenIsWaitedForPastItsTries(t *testing.T) {
	t.Parallel()
	for _, code := range []int{429, 503} {
		s := newServer(t, func(n int, w http.ResponseWriter, r *http.Request, texts []string) bool {
			w.Header().Set("Retry-After-Ms", "5")
			return n%8 != 0 && status(w, code, "")
		})
		e := s.client(func(o *Options) { o.Tries, o.BreakerFailures = 3, 2 })
		in := texts(2)
		got, err := e.Documents(t.Context(), in)
		if err != nil || s.calls() != 16 {
			t.Fatalf("status %d: %v after %d requests", code, err, s.calls())
		}
		same(t, e, got, in)
		before := s.calls()
		if _, err := e.Query(t.Context(), "a question"); err == nil || s.calls() != before+1 {
			t.Errorf("status %d: a question waits: %v after %d requests", code, err, s.calls()-before)
		}
	}
}
