package breaker

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/store"
	"github.com/contextd/contextd/internal/store/redis"
	"github.com/contextd/contextd/internal/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const (
	fast = 100 * time.Millisecond
	slow = 600 * time.Millisecond
)

func TestThreeSlowInARowTurnRetrievalOffLongerEachTime(t *testing.T) {
	t.Parallel()
	r, s, now := Default(DefaultLimit), State{}, noon
	note := func(took time.Duration) {
		s = r.After(s, now, took)
		now = now.Add(took)
	}
	for _, took := range []time.Duration{slow, slow, fast, slow, slow, DefaultLimit, slow, slow} {
		if note(took); s.Off(now) {
			t.Fatalf("off after %+v", s)
		}
	}
	for i, want := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60, 60} {
		note(slow)
		if got := s.Until.Sub(now); got != want*time.Minute || !s.Off(now) {
			t.Fatalf("pause %d: %v, want %d minutes", i, got, want)
		}
		before := s
		if s = r.After(s, now.Add(-time.Second), 2*time.Second); s != before {
			t.Fatalf("one that began before the pause %d counts: %+v", i, s)
		}
		if now = s.Until; s.Off(now) {
			t.Fatalf("still off at the end of pause %d", i)
		}
	}
	if note(fast); s != (State{}) {
		t.Errorf("a fast one leaves %+v", s)
	}
	if s := (Rule{}).After(State{}, noon, time.Hour); s != (State{}) {
		t.Errorf("a rule that is off: %+v", s)
	}
}

func TestProcessesShareWhatWasSlow(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t *testing.T) (store.Store, error){
		"embedded": func(t *testing.T) (store.Store, error) {
			return sqlite.Open(filepath.Join(t.TempDir(), "documents.db"), slog.New(slog.DiscardHandler))
		},
		"redis": func(t *testing.T) (store.Store, error) {
			server := rdbtest.Start(t, rdbtest.Plain)
			return redis.Open(redis.Options{URL: server.URL, Prefix: server.Prefix, Deadline: time.Minute})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := open(t)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			now := noon
			note := func(took time.Duration) (off bool) { // each in a process of its own, as commands are
				b := New(Default(DefaultLimit), s)
				if _, was := b.Off(t.Context(), "web", now); was {
					t.Errorf("off before %v", took)
				}
				off, err := b.Note(t.Context(), "web", now, took)
				if err != nil {
					t.Fatal(err)
				}
				now = now.Add(took)
				return off
			}
			for i, want := range []bool{false, false, true} {
				if note(slow) != want {
					t.Errorf("after slow retrieval %d: off is %v", i+1, !want)
				}
			}
			st, off := New(Default(DefaultLimit), s).Off(t.Context(), "web", now)
			if other, _ := New(Default(DefaultLimit), s).Off(t.Context(), "api", now); !off || st.Took != slow ||
				other != (State{}) {
				t.Errorf("%+v, another project %+v", st, other)
			}
			if all, err := Projects(t.Context(), s); err != nil || len(all) != 1 || !all["web"].Off(now) {
				t.Errorf("%+v, %v", all, err)
			}
			if _, off := New(Rule{}, s).Off(t.Context(), "web", now); off {
				t.Error("off though the setting says never")
			}
			now = st.Until
			note(fast)
			if all, err := Projects(t.Context(), s); err != nil || len(all) != 0 {
				t.Errorf("after a fast one %+v, %v", all, err)
			}
		})
	}
}
