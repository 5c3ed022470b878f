//go:build unix

package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/e2e/e2etest"
)

// slowness is how long a slow embedder takes for a request.
const slowness = 2 * time.Second

const unavailable = "embedder_unavailable"

// embedder is a server of embeddings that can be taken down.
type embedder struct {
	mode     atomic.Value // "up", "down", "hangs", "refuses", "slow"
	requests atomic.Int64
	gaveUp   atomic.Int64 // requests that hung until their sender gave up
	mu       sync.Mutex
	texts    map[string]int // how often each text was embedded; guarded by mu
	dims     atomic.Int64   // of its vectors; 0: 64
	last     atomic.Int64   // the request that is answered last before it goes down by itself; 0: none
}

// withEmbedder makes all commands of the bundle use a server of embeddings.
func (b *bundle) withEmbedder() *embedder {
	b.Helper()
	e := &embedder{texts: map[string]int{}}
	e.mode.Store("up")
	s := httptest.NewServer(e)
	b.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	b.Env = append(b.Env, "CONTEXTD_EMBEDDER=openai", "CONTEXTD_EMBEDDER_URL="+s.URL, "CONTEXTD_EMBEDDER_MODEL=test",
		"OPENAI_API_KEY=")
	return e
}

func (e *embedder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct{ Input []string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if n := e.requests.Add(1); n == e.last.Load()+1 && n > 1 {
		e.mode.Store("down")
	}
	switch e.mode.Load() {
	case "down":
		panic(http.ErrAbortHandler) // the connection ends
	case "hangs":
		<-r.Context().Done()
		e.gaveUp.Add(1)
		return
	case "refuses":
		w.WriteHeader(http.StatusUnauthorized)
		return
	case "slow":
		select {
		case <-time.After(slowness):
		case <-r.Context().Done():
			return
		}
	}
	e.mu.Lock()
	for _, text := range in.Input {
		e.texts[text]++
	}
	e.mu.Unlock()
	var data []map[string]any
	for i, text := range in.Input {
		v := make([]float64, cmp.Or(int(e.dims.Load()), 64)) // the counts of words, in as many heaps
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r < 'a' || r > 'z' }) {
			h := 0
			for _, c := range word {
				h = h*31 + int(c)
			}
			v[(h%len(v)+len(v))%len(v)]++
		}
		v[0] += .1
		data = append(data, map[string]any{"index": i, "embedding": v})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
}

// byWords is an answer without vectors.
func (b *bundle) byWords(r *e2etest.Reply, path string) { b.Helper(); b.has(r, path, true) }

// whole is an answer of full strength.
func (b *bundle) whole(r *e2etest.Reply, path string) { b.Helper(); b.has(r, path, false) }

func (b *bundle) has(r *e2etest.Reply, path string, byWords bool) {
	b.Helper()
	if !r.Has(path) || slices.Contains(r.Reasons, unavailable) != byWords || !byWords && len(r.Reasons) > 0 {
		b.Errorf("want %s, by words alone: %v; got %s %v with %d results", path, byWords, r.Status, r.Reasons,
			len(r.Results))
	}
}

// A model of other dimensions answers while daemon and server run, and no file changes: the first questions are answered
// by words and tell the daemon, which makes the index again with the new model.
func TestAQuestionTellsTheDaemonOfAModelOfOtherDimensions(t *testing.T) {
	both(t, func(b *bundle) {
		e := b.withEmbedder()
		b.tree(0, 20, 0, 12)
		b.daemon("--watch", b.root, "--reconcile-interval", "1h")
		b.finds(e2etest.Question(3), e2etest.SourceName(3))
		b.settled()
		s, err := b.Serve("--allow-root", b.root)
		b.ok(err)
		b.guard(s)
		b.ok(s.Ready(soon))
		ask := func(n int) *e2etest.Reply {
			r, err := s.Search(b.Context(), map[string]any{"query": e2etest.Question(n), "root": b.root, "deadline_ms": 5000})
			b.ok(err)
			return r
		}
		b.whole(ask(3), e2etest.SourceName(3))
		e.dims.Store(48)
		b.byWords(ask(4), e2etest.SourceName(4))
		n := 4
		b.eventually(func() error {
			n = n%19 + 1 // each question another: its vector is not kept
			if r := ask(n); !r.Has(e2etest.SourceName(n)) || len(r.Reasons) > 0 {
				return fmt.Errorf("%s %q of question %d", r.Status, r.Reasons, n)
			}
			return nil
		})
	})
}

func TestAnEmbedderDownInMidRunIsCaughtUpWithAndNothingIsBurnt(t *testing.T) {
	both(t, func(b *bundle) {
		e := b.withEmbedder()
		b.tree(0, 20, 0, 12)
		d := b.daemon("--watch", b.root)
		b.finds(e2etest.Question(3), e2etest.SourceName(3))
		b.settled()

		e.last.Store(e.requests.Load() + 3)
		b.tree(20, 400, 0, 12)
		b.eventually(func() error {
			if open, err := d.Metric("contextd_embed_breaker_open", ""); err != nil || open != 1 {
				return fmt.Errorf("breaker open %v, %v", open, err)
			}
			return nil
		})
		b.byWords(b.ask(e2etest.Question(3), "--deadline", patient), e2etest.SourceName(3))
		p, err := b.Project(b.root)
		b.ok(err)
		if p.Pending == 0 {
			b.Error("nothing waits while the embedder is down")
		}
		e.mode.Store("up")
		b.settled()
		for _, i := range []int{3, 20, 211, 399} {
			b.whole(b.ask(e2etest.Question(i), "--deadline", patient), e2etest.SourceName(i))
		}
		s, err := b.Status()
		b.ok(err)
		errors, err := d.Metric("contextd_index_runs_total", `result="error"`)
		if s.Queue.Dead != 0 || err != nil || errors != 0 {
			b.Errorf("%d dead letters, %v failed runs, %v", s.Queue.Dead, errors, err)
		}
		if open, err := d.Metric("contextd_embed_breaker_open", ""); err != nil || open != 0 {
			b.Errorf("breaker open %v, %v", open, err)
		}
		b.fresh(questions(0, 30)...)
	})
}

func TestAnEmbedderThatNeverCameLeavesAnswersByWords(t *testing.T) {
	both(t, func(b *bundle) {
		e := b.withEmbedder()
		e.mode.Store("down")
		b.tree(0, 10, 0, 12)
		b.daemon("--watch", b.root)
		b.eventually(func() error {
			r, err := b.Query(b.root, e2etest.Question(4), "--deadline", patient)
			if err == nil && (!r.Has(e2etest.SourceName(4)) || !slices.Contains(r.Reasons, unavailable)) {
				err = fmt.Errorf("%s %v", r.Status, r.Reasons)
			}
			return err
		})
		e.mode.Store("up")
		b.rebuilt("openai/")
		b.whole(b.ask(e2etest.Question(4), "--deadline", patient), e2etest.SourceName(4))
	})
}

func TestARefusedKeyIsAFailedRunWithItsReason(t *testing.T) {
	both(t, func(b *bundle) {
		e := b.withEmbedder()
		e.mode.Store("refuses")
		b.tree(0, 3, 0, 12)
		b.daemon("--allow-root", b.root)
		b.enqueue()
		b.eventually(func() error {
			r, err := b.Exec("indexer", "queue", "list", "--json")
			if err == nil && !strings.Contains(r.Out, "401 Unauthorized") {
				err = fmt.Errorf("dead letters: %s", r.Out)
			}
			return err
		})
	})
}

func TestARefusedKeyOnAWatchedRootIsOneDeadLetter(t *testing.T) {
	both(t, func(b *bundle) {
		e := b.withEmbedder()
		e.mode.Store("refuses")
		b.tree(0, 3, 0, 12)
		b.daemon("--watch", b.root, "--reconcile-interval", "1s")
		b.eventually(func() error {
			if s, err := b.Status(); err != nil || s.Queue.Dead == 0 {
				return fmt.Errorf("%+v, %v", s, err)
			}
			return nil
		})
		for i := 3; i < 6; i++ { // each change is a run more
			before := e.requests.Load()
			b.tree(i, i+1, 0, 12)
			b.eventually(func() error {
				r, err := b.Query(b.root, e2etest.Question(i), "--deadline", patient)
				if err == nil && (!r.Has(e2etest.SourceName(i)) || e.requests.Load() == before) {
					err = fmt.Errorf("%s %v, %d requests", r.Status, r.Reasons, e.requests.Load()-before)
				}
				return err
			})
		}
		s, err := b.Status()
		b.ok(err)
		if s.Queue.Dead != 1 {
			b.Errorf("%d dead letters for one wrong key", s.Queue.Dead)
		}
		e.mode.Store("up")
		b.rebuilt("openai/")
	})
}

func TestOneShotQueriesAnswerWhileTheEmbedderIsDown(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"down", "hangs", "refuses"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			b := newBundle(t, nil)
			e := b.withEmbedder()
			e.mode.Store(mode)
			b.tree(0, 5, 0, 12)
			b.byWords(b.ask(e2etest.Question(2)), e2etest.SourceName(2)) // from nothing: an index of words
			if mode != "hangs" {                                         // index is patient
				r, err := b.Exec("indexer", "index", b.root)
				if err != nil || r.Code != 2 || !strings.Contains(r.Err, "hint: ") {
					b.Errorf("index: %v, %v", r, err)
				}
				r, err = b.Exec("indexer", "doctor")
				if err != nil || r.Code != 1 || !strings.Contains(r.Out, "127.0.0.1") {
					b.Errorf("doctor: %v, %v", r, err)
				}
			}
			e.mode.Store("up")
			b.whole(b.ask(e2etest.Question(2), "--deadline", patient), e2etest.SourceName(2))

			e.mode.Store(mode)
			before := e.requests.Load()
			reply := b.ask(e2etest.Question(2))
			b.byWords(reply, e2etest.SourceName(2)) // nothing changed: only the question is sent
			b.within(reply, 200*time.Millisecond)
			if n := e.requests.Load() - before; n > 1 {
				b.Errorf("%d requests for a question over an index that is fresh", n)
			}
			b.write("extra.py", "def "+e2etest.Question(90)+"():\n    return 90\n")
			b.byWords(b.ask(e2etest.Question(2)), e2etest.SourceName(2)) // an older index is better than none
			e.mode.Store("up")
			b.whole(b.ask(e2etest.Question(90), "--deadline", patient), "extra.py")
		})
	}
}
