package openai

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"
)

// held is a server that leaves its second request, the first after the probe, unanswered until open is closed.
func held(t *testing.T) (s *server, sent, gone, open chan struct{}) {
	sent, gone, open = make(chan struct{}), make(chan struct{}), make(chan struct{})
	s = newServer(t, func(n int, w http.ResponseWriter, r *http.Request, texts []string) bool {
		if n != 2 {
			return false
		}
		close(sent)
		select {
		case <-open:
			return false
		case <-r.Context().Done():
			close(gone)
			return true
		}
	})
	return s, sent, gone, open
}

// joined waits until n calls wait for a text of the batch that is under way.
func joined(e *Embedder, n int) {
	for waiting := 0; waiting < n; time.Sleep(time.Millisecond) {
		e.line.mu.Lock()
		waiting = 0
		for _, it := range e.line.items {
			waiting = max(waiting, len(it.calls))
		}
		e.line.mu.Unlock()
	}
}

func TestATextThatIsOnItsWayIsNotSentAgain(t *testing.T) {
	t.Parallel()
	s, sent, _, open := held(t)
	e := s.client(func(o *Options) { o.CacheBytes = 1 }) // nothing is kept once it is answered
	in := texts(10)
	var calls sync.WaitGroup
	ask := func(ctx context.Context, fails bool) {
		calls.Go(func() {
			got, err := e.Documents(ctx, in)
			if fails != (err != nil) {
				t.Errorf("%d vectors, %v", len(got), err)
			}
			if err == nil {
				same(t, e, got, in)
			}
		})
	}
	first, giveUp := context.WithCancel(t.Context())
	ask(first, true)
	<-sent
	for range 3 {
		ask(t.Context(), false)
	}
	joined(e, 4)
	giveUp() // who asked first is gone, the others are not
	time.Sleep(10 * time.Millisecond)
	close(open)
	calls.Wait()
	if n := s.calls(); n != 2 {
		t.Errorf("%d requests, want a probe and one", n)
	}
	if len(e.line.items)+len(e.line.waiting)+e.line.bytes != 0 {
		t.Errorf("left: %d items, %d waiting, %d bytes", len(e.line.items), len(e.line.waiting), e.line.bytes)
	}
}

func TestABatchThatNobodyWaitsForAnyMoreIsGivenUpAndSentAnew(t *testing.T) {
	t.Parallel()
	s, sent, gone, _ := held(t)
	e := s.client(nil)
	in := texts(3)
	both, giveUp := context.WithCancel(t.Context())
	var calls sync.WaitGroup
	ask := func() {
		if _, err := e.Documents(both, in); !errors.Is(err, context.Canceled) {
			t.Errorf("of a call that gave up: %v", err)
		}
	}
	calls.Go(ask)
	<-sent
	calls.Go(ask)
	joined(e, 2)
	giveUp()
	calls.Wait()
	<-gone
	got, err := e.Documents(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	same(t, e, got, in)
	if n := s.calls(); n != 3 {
		t.Errorf("%d requests, want a probe, the one given up and one", n)
	}
}
