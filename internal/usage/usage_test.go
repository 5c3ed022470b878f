package usage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/store"
	"github.com/contextd/contextd/internal/store/redis"
	"github.com/contextd/contextd/internal/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func at(now time.Time) func() time.Time { return func() time.Time { return now } }

func embedded(t testing.TB) store.Store {
	t.Helper()
	s, err := sqlite.Open(filepath.Join(t.TempDir(), "documents.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// both runs a test on either backing.
func both(t *testing.T, test func(t *testing.T, s store.Store)) {
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		test(t, embedded(t))
	})
	t.Run("redis", func(t *testing.T) {
		t.Parallel()
		server := rdbtest.Own(t, rdbtest.Plain)
		s, err := redis.Open(redis.Options{URL: server.URL, Prefix: server.Prefix, Deadline: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		test(t, s)
	})
}

func begin(t testing.TB, tr *Tracker, turn Turn) {
	t.Helper()
	if err := tr.Begin(t.Context(), "web", turn); err != nil {
		t.Fatal(err)
	}
}

func finish(t testing.TB, tr *Tracker, id string, f Feedback) Report {
	t.Helper()
	r, err := tr.Finish(t.Context(), "web", id, f)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func boosts(t testing.TB, tr *Tracker) Boosts {
	t.Helper()
	b, err := tr.Boosts(t.Context(), "web")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var shown = []Shown{
	{ID: "file:a", Kind: "code", Path: "src/login.go", Text: "func Login checks the password"},
	{ID: "memory:1", Kind: "decision", Text: "sessions are kept in redis"},
	{ID: "memory:2", Kind: "episode", Text: "yesterday the build was broken"},
}

func prompt(id string) Turn {
	return Turn{ID: id, Agent: "knight-1", AgentKind: "knight", Profile: "knight", Items: shown}
}

func TestUsedMemoryRanksAboveAnIgnoredOneForWhoeverComesNext(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, s store.Store) {
		one := New(s, at(noon))
		for i := range 3 {
			id := fmt.Sprint("ctx_", i)
			begin(t, one, prompt(id))
			r := finish(t, one, id, Feedback{Response: "Sessions: kept in Redis.",
				Opened: []string{"src/login.go", "src/other.go"}})
			want := Report{Turn: id, Shown: 3, Used: []string{"memory:1"}, Refetched: []string{"file:a"},
				Dead: []string{"memory:2"}, Missed: []string{"src/other.go"}, Precision: 2.0 / 3}
			if !reflect.DeepEqual(r, want) {
				t.Errorf("%+v", r)
			}
		}
		later := boosts(t, New(s, at(noon))) // another session, another process
		for id, want := range map[string]float64{"memory:1": 1.5, "file:a": 1.5, "memory:2": .5, "memory:3": 1} {
			if got := later.Of(id); !near(got, want) {
				t.Errorf("boost of %s: %v, want %v", id, got, want)
			}
		}
		if got := later.Score("memory:1", noon.Add(HalfLife)); !near(got, 3*.75/2) {
			t.Errorf("score %v", got)
		}
		if other, err := one.Boosts(t.Context(), "api"); err != nil || other.Of("memory:1") != 1 ||
			other.Score("memory:1", noon) != 0 || other.OfKind("code") != 1 {
			t.Errorf("another project: %v", err)
		}
		if got, want := later.Precisions(),
			[]Precision{{AgentKind: "knight", Profile: "knight", Shown: 9, Used: 3, Refetched: 3,
				Missed: 3}}; !reflect.DeepEqual(got, want) || got[0].Dead() != 3 {
			t.Errorf("%+v", got)
		}
	})
}

func TestRecordAndScore(t *testing.T) {
	t.Parallel()
	tr := New(embedded(t), at(noon))
	for range 2 {
		if err := tr.Record(t.Context(), "web", append(shown, shown[0]),
			map[string]float64{"memory:1": .4}); err != nil {
			t.Fatal(err)
		}
	}
	b := boosts(t, tr)
	if !near(b.Score("memory:1", noon), .8) || b.Score("memory:2", noon) != 0 || b.Of("memory:1") != 1.5 ||
		b.Of("memory:2") != .5 {
		t.Errorf("score %v, boosts %v, %v", b.Score("memory:1", noon), b.Of("memory:1"), b.Of("memory:2"))
	}
	if len(b.Precisions()) != 0 {
		t.Errorf("%+v", b.Precisions())
	}
	if zero := (Boosts{}); zero.Of("x") != 1 || zero.Score("x", noon) != 0 || zero.OfKind("x") != 1 ||
		zero.Precisions() != nil {
		t.Error("the zero value knows something")
	}
}

func TestFeedbackInPartsCountsOnce(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, s store.Store) {
		tr := New(s, at(noon))
		begin(t, tr, prompt("a"))
		if r := finish(t, tr, "a", Feedback{}); len(r.Dead) != 0 {
			t.Errorf("no feedback: %+v", r)
		}
		for range 2 {
			finish(t, tr, "a", Feedback{Opened: []string{"src/login.go"}})
		}
		for range 2 {
			finish(t, tr, "a", Feedback{Edited: []string{"src/login.go"}, Searched: []string{"new words"}})
		}
		r := finish(t, tr, "a", Feedback{Response: "no words of these"})
		if len(r.Used) != 1 || len(r.Refetched) != 0 || len(r.Dead) != 2 || len(r.Missed) != 1 {
			t.Errorf("%+v", r)
		}
		if again, err := tr.Report(t.Context(), "web", "a"); err != nil || !reflect.DeepEqual(again, r) {
			t.Errorf("%+v, %v", again, err)
		}
		b := boosts(t, tr)
		if got, want := b.Precisions(),
			[]Precision{{AgentKind: "knight", Profile: "knight", Shown: 3, Used: 1, Missed: 1}}; !reflect.DeepEqual(got,
			want) {
			t.Errorf("%+v", got)
		}
		if got := b.Score("file:a", noon); !near(got, 1) {
			t.Errorf("score %v", got)
		}
		begin(t, tr, prompt("b"))
		finish(t, tr, "b", Feedback{Response: "nothing"})
		if got := boosts(t, tr).Of("file:a"); !near(got, 1) { // 1 of 2
			t.Errorf("boost %v", got)
		}
	})
}

func TestTurnsAreBoundedAndTheirIDsTheirOwn(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, s store.Store) {
		tr := New(s, at(noon))
		for i := range MaxTurns + 5 {
			begin(t, tr, prompt(fmt.Sprint(i)))
			begin(t, tr, prompt(fmt.Sprint(i)))
		}
		docs, _, err := s.All(t.Context(), turns("web"))
		if err != nil || len(docs) != MaxTurns+1 {
			t.Errorf("%d documents, %v", len(docs), err)
		}
		for id, want := range map[string]bool{"4": false, "5": true, "never": false} {
			_, err := tr.Finish(t.Context(), "web", id, Feedback{Response: "x"})
			if (err == nil) != want || !want && !errors.Is(err, store.ErrNotFound) {
				t.Errorf("turn %s: %v", id, err)
			}
		}
		other := prompt("9")
		other.Items = other.Items[:1]
		if err := tr.Begin(t.Context(), "web", other); err == nil ||
			!strings.Contains(err.Error(), `"9" of "web": another turn has this id`) {
			t.Errorf("%v", err)
		}
	})
}

func TestWrongTurnsAreRefused(t *testing.T) {
	t.Parallel()
	tr := New(embedded(t), at(noon))
	for name, turn := range map[string]Turn{
		"no id":         {},
		"a long id":     {ID: strings.Repeat("x", 300)},
		"kind":          {ID: "a", AgentKind: "\xff"},
		"an item twice": {ID: "a", Items: append(shown, shown[0])},
		"item id":       {ID: "a", Items: []Shown{{}}},
		"many items":    {ID: "a", Items: make([]Shown, MaxItems+1)},
	} {
		if err := tr.Begin(t.Context(), "web", turn); err == nil || !strings.Contains(err.Error(), "want") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := tr.Record(t.Context(), "web", []Shown{{}}, nil); err == nil {
		t.Error("an item without an id was recorded")
	}
}

func TestLargestTurnFits(t *testing.T) {
	t.Parallel()
	tr := New(embedded(t), at(noon))
	big := Turn{ID: strings.Repeat("x", MaxID-5)}
	for i := range MaxItems {
		var text strings.Builder
		for k := range 400 {
			fmt.Fprintf(&text, "%c%c%c%c ", 'a'+i%26, 'a'+i/26%26, 'a'+k%26, 'a'+k/26)
		}
		big.Items = append(big.Items, Shown{ID: fmt.Sprintf("%0256d", i), Kind: strings.Repeat("k", 200),
			Path: strings.Repeat("p", 200), Text: text.String()})
	}
	begin(t, tr, big)
	var missed []string
	for i := range 1000 {
		missed = append(missed, fmt.Sprintf("%0300d", i))
	}
	if r := finish(t, tr, big.ID, Feedback{Opened: missed}); len(r.Missed) > maxMissed || r.Shown != MaxItems {
		t.Errorf("%d missed of %d", len(r.Missed), r.Shown)
	}
}

func TestItemsAreBounded(t *testing.T) {
	t.Parallel()
	s := embedded(t)
	for i := range 20 {
		var items []Shown
		for k := range MaxItems {
			items = append(items, Shown{ID: fmt.Sprintf("%d-%d", i, k), Kind: fmt.Sprint(i, k)})
		}
		if err := New(s, at(noon.Add(time.Duration(i)*time.Hour))).Record(t.Context(), "web", items, nil); err != nil {
			t.Fatal(err)
		}
	}
	l := boosts(t, New(s, at(noon))).l
	n := 0
	for _, sh := range l.shards {
		n += len(sh.items)
	}
	if n > shards*maxShard || l.shards[shardOf("0-0")].items["0-0"].retrieved != 0 ||
		l.shards[shardOf("19-0")].items["19-0"].retrieved != 1 || len(l.sums.kinds) > maxKinds {
		t.Errorf("%d items, %d kinds", n, len(l.sums.kinds))
	}
}

func TestKindsHaveBoostsForBudgets(t *testing.T) {
	t.Parallel()
	tr := New(embedded(t), at(noon))
	for i := range 25 {
		if got := boosts(t, tr).OfKind("code"); i < 20 && got != 1 || i >= 20 && !near(got, 1.5) {
			t.Errorf("after %d: %v", i, got)
		}
		if err := tr.Record(t.Context(), "web", []Shown{{ID: fmt.Sprint(i), Kind: "code"}},
			map[string]float64{fmt.Sprint(i): .2}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTwoWhoLearnAtOnceLoseNothing(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, s store.Store) {
		trackers := []*Tracker{New(s, at(noon)), New(s, at(noon)), New(s, at(noon))}
		begin(t, trackers[0], prompt("shared"))
		var wg sync.WaitGroup
		for i := range 12 {
			tr := trackers[i%3]
			wg.Go(func() {
				ctx := context.Background()
				own := prompt(fmt.Sprint("own-", i))
				_, missing := tr.Finish(ctx, "web", "shared", Feedback{Response: "sessions kept in redis"})
				if err := errors.Join(missing, tr.Begin(ctx, "web", own)); err != nil {
					t.Error(err)
				}
				if _, err := tr.Finish(ctx, "web", own.ID, Feedback{Response: "sessions kept in redis"}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got, want := boosts(t, trackers[0]).Precisions(),
			[]Precision{{AgentKind: "knight", Profile: "knight", Shown: 39, Used: 13}}; !reflect.DeepEqual(got, want) {
			t.Errorf("%+v", got)
		}
		if got := boosts(t, trackers[1]).l.shards[shardOf("memory:2")].items["memory:2"].retrieved; got != 13 {
			t.Errorf("retrieved %d times", got)
		}
	})
}

func TestBrokenDocumentsAreAsIfTheyWereNotThere(t *testing.T) {
	t.Parallel()
	s := embedded(t)
	tr := New(s, at(noon))
	var writes []store.Write
	for i := range shards {
		writes = append(writes, store.Write{ID: shardDoc(i), Data: []byte("\x01\xff\xff")})
	}
	writes = append(writes, store.Write{ID: sumsDoc, Data: []byte("[")})
	if _, err := s.Apply(t.Context(), items("web"), writes...); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Apply(t.Context(), turns("web"), store.Write{ID: ringDoc.ID, Data: []byte("{")}); err != nil {
		t.Fatal(err)
	}
	begin(t, tr, prompt("a"))
	finish(t, tr, "a", Feedback{Response: "x"})
	if got := boosts(t, tr).Precisions(); len(got) != 1 || got[0].Shown != 3 {
		t.Errorf("%+v", got)
	}
}

func TestPrecisionIsAMetric(t *testing.T) {
	t.Parallel()
	tr := New(embedded(t), at(noon))
	own := prompt("a")
	own.AgentKind, own.Profile = "metric-knight", "metric\nprofile"
	begin(t, tr, own)
	finish(t, tr, "a", Feedback{Response: "sessions kept in redis", Opened: []string{"b.go"}})
	if got := metric(t, "contextd_context_precision", own.Profile, ""); !near(got, 1.0/3) {
		t.Errorf("precision %v", got)
	}
	finish(t, tr, "a", Feedback{Edited: []string{"src/login.go"}})
	if got := metric(t, "contextd_context_precision", own.Profile, ""); !near(got, 2.0/3) {
		t.Errorf("precision %v", got)
	}
	for outcome, want := range map[string]float64{"used": 2, "dead": 2, "missed": 1} {
		if got := metric(t, "contextd_context_items_total", own.Profile, outcome); got != want {
			t.Errorf("%s: %v, want %v", outcome, got, want)
		}
	}
}

// metric is the value of a series of the registry.
func metric(t *testing.T, name, profile, outcome string) float64 {
	t.Helper()
	families, err := obs.Registry().Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			if labels["profile"] == profile && labels["outcome"] == outcome {
				return m.GetGauge().GetValue() + m.GetCounter().GetValue()
			}
		}
	}
	return -1
}

// TestNoStringOfATurnKeepsASecret: an item that is named by a secret is found again by its name, which is not kept.
func TestNoStringOfATurnKeepsASecret(t *testing.T) {
	t.Parallel()
	const body = "Q7wE4rT9yU2iO5pA8sD1fG3hJ6kL0zXcVbNm"
	secret := "ghp" + "_" + body
	s := embedded(t)
	tr := New(s, at(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)))
	for _, id := range []string{"one", "two"} {
		in := Turn{ID: id, Agent: "agent " + secret, AgentKind: secret, Profile: secret,
			Items: []Shown{{ID: "id " + secret, Kind: secret, Path: "keys/" + secret, Text: "some words"}}}
		begin(t, tr, in)
		begin(t, tr, in) // the same again is known
		if _, err := tr.Finish(t.Context(), "web", id, Feedback{Opened: []string{"other/" + secret},
			Edited: []string{"keys/" + secret}, Searched: []string{secret}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, shelf := range []store.Shelf{items("web"), turns("web")} {
		docs, _, err := s.All(t.Context(), shelf)
		if err != nil || len(docs) == 0 {
			t.Fatal(len(docs), err)
		}
		for _, d := range docs {
			if strings.Contains(d.ID+string(d.Data), body) {
				t.Errorf("kept in %s: %q", d.ID, d.Data)
			}
		}
	}
	boosts, err := tr.Boosts(t.Context(), "web")
	if err != nil {
		t.Fatal(err)
	}
	if got := boosts.Of("id " + secret); got <= 1 {
		t.Errorf("the item weighs %v: it is not found by its name", got)
	}
}
