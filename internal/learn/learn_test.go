package learn

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/store/sqlite"
)

// at is the index of a number.
func at(name string) int {
	return slices.IndexFunc(numbers, func(n number) bool { return n.name == name })
}

// observed are n tasks of which every other one had much of a number; much and little say how many of ten of each
// succeeded.
func observed(n int, name string, much, little int) (list []Observation) {
	for i := range n {
		o := Observation{Alike: " simple", Measures: make([]float64, len(numbers)), Succeeded: i/2%10 < little}
		if i%2 == 0 {
			o.Measures[at(name)], o.Succeeded = 1, i/2%10 < much
		}
		list = append(list, o)
	}
	return list
}

func knight(t *testing.T) profile.Profile {
	t.Helper()
	p, err := profile.Builtin().Get("knight")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestNumbersMoveOnlyByWhatNoiseDoesNotExplain(t *testing.T) {
	t.Parallel()
	own := knight(t).Code.Bytes
	for name, c := range map[string]struct {
		seen []Observation
		want func(bytes int) bool
	}{
		"nothing seen": {nil, func(n int) bool { return n == own }},
		"19 outcomes":  {observed(19, "code.bytes", 10, 0), func(n int) bool { return n == own }},
		"20 that all say it": {observed(20, "code.bytes", 10, 0), func(n int) bool {
			return n > own && n <= own*13/10
		}},
		"the other way": {observed(20, "code.bytes", 0, 10), func(n int) bool {
			return n < own && n >= own*7/10
		}},
		"a small difference": {observed(60, "code.bytes", 7, 5), func(n int) bool { return n == own }},
		"a difference in 40": {observed(40, "code.bytes", 9, 3), func(n int) bool {
			return n > own && n < own*12/10
		}},
		"the same in 100": {observed(100, "code.bytes", 9, 3), func(n int) bool {
			return n > own*12/10 && n <= own*13/10
		}},
		"all succeeded":          {observed(100, "code.bytes", 10, 10), func(n int) bool { return n == own }},
		"another number says it": {observed(100, "code.results", 10, 0), func(n int) bool { return n == own }},
	} {
		p, list := Adjust(knight(t), c.seen)
		if !c.want(p.Code.Bytes) {
			t.Errorf("%s: %d of %d bytes, %+v", name, p.Code.Bytes, own, list)
		}
	}
}

func TestHardTasksSayNothingAboutWhatTheyNeed(t *testing.T) {
	t.Parallel()
	var seen []Observation
	for i := range 100 { // complex tasks have much code and fail, whatever their code
		o := Observation{Alike: " simple", Measures: make([]float64, len(numbers)), Succeeded: true}
		o.Measures[at("code.bytes")] = float64(i % 5)
		if i%2 == 0 {
			o.Alike, o.Succeeded = " complex", false
			o.Measures[at("code.bytes")] += 100
		}
		seen = append(seen, o)
	}
	if _, list := Adjust(knight(t), seen); len(list) > 0 {
		t.Errorf("%+v", list)
	}
}

func TestChanceMovesNothing(t *testing.T) {
	t.Parallel()
	r, moved := rand.New(rand.NewPCG(1, 2)), 0
	for range 500 {
		var seen []Observation
		for range 20 + r.IntN(80) {
			o := Observation{Alike: fmt.Sprint(r.IntN(2)), Succeeded: r.IntN(10) < 7}
			for range numbers {
				o.Measures = append(o.Measures, r.Float64())
			}
			seen = append(seen, o)
		}
		if _, list := Adjust(knight(t), seen); len(list) > 0 {
			moved++
		}
	}
	if moved > 15 { // 3 %
		t.Errorf("%d of 500 random histories moved something", moved)
	}
}

// Whatever was observed, and whatever a profile says: no number leaves its range or moves further than it may, and
// weights stay shares.
func TestMovesStayInTheirBounds(t *testing.T) {
	t.Parallel()
	r, moved := rand.New(rand.NewPCG(3, 4)), map[string]bool{}
	for range 3000 {
		p := knight(t)
		p.Weights = profile.Weights{Task: r.Float64(), Project: r.Float64() * r.Float64(),
			Global: .001 + r.Float64()*r.Float64()}
		p.Aggressiveness, p.Code.Results, p.Code.Bytes = r.Float64(), 1+r.IntN(100), 1+r.IntN(1<<20)
		var seen []Observation
		for range 60 {
			o := Observation{Succeeded: r.IntN(2) == 0}
			for range numbers {
				x := float64(r.IntN(3))
				if o.Succeeded == (r.IntN(20) > 0) {
					x += 3
				}
				if r.IntN(2) == 0 {
					x = 7 - x
				}
				o.Measures = append(o.Measures, x)
			}
			if r.IntN(3) > 0 {
				o.Measures[r.IntN(len(numbers))] = float64(map[bool]int{true: 9}[o.Succeeded])
			}
			seen = append(seen, o)
		}
		i := r.IntN(len(numbers))
		for k := range seen {
			seen[k].Measures[i] = float64(map[bool]int{true: 9}[seen[k].Succeeded])
		}
		q, list := Adjust(p, seen)
		if sum := q.Weights.Task + q.Weights.Project + q.Weights.Global; len(list) > 0 && q.Weights != p.Weights &&
			math.Abs(sum-1) > 1e-3 {
			t.Errorf("weights %+v", q.Weights)
		}
		for _, l := range list {
			n := &numbers[at(l.Number)]
			moved[l.Number] = true
			if math.Abs(l.To-l.From) > MaxMove*l.From+1e-4 || n.of(&q) != l.To {
				t.Errorf("%+v", l)
			}
			if l.To > max(n.high, l.From) || l.To < min(n.low, l.From) {
				t.Errorf("out of its range: %+v", l)
			}
		}
	}
	if len(moved) != len(numbers) {
		t.Errorf("only %v moved", moved)
	}
}

func TestEqualObservationsGiveEqualNumbers(t *testing.T) {
	t.Parallel()
	seen := observed(40, "weights.project", 10, 1)
	for i := range seen {
		seen[i].Alike = fmt.Sprint(i / 2 % 3)
	}
	p, list := Adjust(knight(t), seen)
	if len(list) == 0 || p.Weights == knight(t).Weights {
		t.Fatalf("nothing was learnt: %+v", list)
	}
	for range 20 {
		if q, again := Adjust(knight(t), slices.Clone(seen)); !reflect.DeepEqual(p, q) ||
			!reflect.DeepEqual(list, again) {
			t.Fatalf("%+v, %+v", q, again)
		}
	}
}

func ledger(t *testing.T) *Ledger {
	t.Helper()
	s, err := sqlite.Open(filepath.Join(t.TempDir(), "documents.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return New(s)
}

func ended(from, to int) (list []receipt.Ended) {
	for i := from; i < to; i++ {
		success := i%2 == 0
		list = append(list, receipt.Ended{TaskID: fmt.Sprint("t-", i), Success: &success})
	}
	return list
}

// contexts are those of all tasks that are asked for, two each.
func contexts(kind, profileID string) Receipts {
	return func(_ context.Context, tasks []string) (list []*receipt.Receipt, err error) {
		for _, id := range tasks {
			for n := range 2 {
				lines := []receipt.Line{{Source: "file:a.go:1-2", Decision: receipt.Full, Scope: profile.Project,
					Tokens: 10 + 10*n}}
				list = append(list, &receipt.Receipt{TaskID: id, AgentKind: kind, Profile: profileID, Items: lines,
					Fingerprint: receipt.NewFingerprint(receipt.Facts{Profile: profileID, TaskID: id, Lines: lines})})
			}
		}
		return list, nil
	}
}

func TestEachTaskIsTakenInOnceAndAResetForgetsIt(t *testing.T) {
	t.Parallel()
	l, g := ledger(t), Group{"knight", "knight"}
	seen := func(to int, r Receipts) []Observation {
		list, err := l.Seen(t.Context(), "web", g, ended(0, to), r)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	none := func(context.Context, []string) ([]*receipt.Receipt, error) { return nil, errors.New("asked") }
	list := seen(3, contexts("knight", "knight"))
	if len(list) != 3 || list[0].Measures[at("code.bytes")] != 15 || !list[0].Succeeded || list[1].Succeeded {
		t.Fatalf("%+v", list)
	}
	if again := seen(3, none); !reflect.DeepEqual(again, list) {
		t.Errorf("%+v", again)
	}
	seen(4, contexts("squire", "squire"))
	if n, err := l.Reset(t.Context(), "web", "knight", ended(0, 6), contexts("knight", "knight")); err != nil ||
		n != 5 {
		t.Errorf("forgot %d, %v", n, err)
	}
	if list := seen(6, none); len(list) != 0 {
		t.Errorf("after a reset: %+v", list)
	}
	if list := seen(7, contexts("knight", "knight")); len(list) != 1 {
		t.Errorf("a task after the reset: %+v", list)
	}
	groups, err := l.Groups(t.Context(), "web", ended(0, 7), none)
	if err != nil || len(groups[g]) != 1 || len(groups[Group{"squire", "squire"}]) != 1 {
		t.Errorf("%+v, %v", groups, err)
	}
}

func TestWhatIsKeptOfAProjectIsBounded(t *testing.T) {
	t.Parallel()
	l := ledger(t)
	for i := range 40 {
		name := fmt.Sprint("kind-", i)
		if _, err := l.Seen(t.Context(), "web", Group{}, ended(i*200, i*200+200), contexts(name, name)); err != nil {
			t.Fatal(err)
		}
	}
	b, _, err := bookDoc.Get(t.Context(), l.store, shelf("web"))
	if err != nil || len(b.Groups) != MaxGroups || len(b.Taken) != maxTaken ||
		len(b.Groups[0].Seen) != MaxObservations {
		t.Errorf("%d groups, %d tasks, %v", len(b.Groups), len(b.Taken), err)
	}
}
