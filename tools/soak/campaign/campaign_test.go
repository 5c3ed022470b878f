package campaign

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	embedded = Place{"embedded", "static"}
	redis    = Place{"redis", "openai"}
)

func TestStepsDependOnSeedPlaceAndNumberAlone(t *testing.T) {
	t.Parallel()
	var first []Step
	for n := range 400 {
		first = append(first, Next(7, redis, n))
	}
	for _, n := range rand.Perm(400) {
		if got := Next(7, redis, n); got != first[n] {
			t.Fatalf("step %d: %+v, then %+v", n, first[n], got)
		}
	}
	other := 0
	for n := range 400 {
		if Next(8, redis, n).Kind != first[n].Kind {
			other++
		}
	}
	if other < 200 {
		t.Errorf("another seed has %d other steps of 400", other)
	}
}

func TestEveryKindComesWhereItCanBeDone(t *testing.T) {
	t.Parallel()
	for place, foreign := range map[Place][]string{
		embedded:            {"redis-", "embed-"},
		redis:               nil,
		{"redis", "static"}: {"embed-"},
	} {
		seen, since := map[string]int{}, 0
		for n := range 20_000 {
			s := Next(1, place, n)
			seen[s.Kind]++
			if since++; s.Kind == Settle {
				since = 0
			}
			if since > longest {
				t.Fatalf("%v: %d steps without rest", place, since)
			}
		}
		for _, k := range kinds {
			is := slices.ContainsFunc(foreign, func(p string) bool { return strings.HasPrefix(k.name, p) })
			if (seen[k.name] > 0) == is {
				t.Errorf("%v: %q comes %d times", place, k.name, seen[k.name])
			}
		}
	}
}

func TestEachBackingHasAnEmbeddingServerByTurns(t *testing.T) {
	t.Parallel()
	for slice := range 4 {
		p := Places(3, slice)
		if (p[0].Embedder == "openai") == (p[1].Embedder == "openai") ||
			p[0].Embedder == Places(3, slice+1)[0].Embedder {
			t.Errorf("slice %d: %v, then %v", slice, p, Places(3, slice+1))
		}
	}
}

func TestShrinkFindsTheStepsThatAreNeeded(t *testing.T) {
	t.Parallel()
	for _, need := range [][]int{{0}, {99}, {3, 71}, {10, 11, 12}, {0, 50, 99}} {
		steps := numbered(100)
		asked := map[string]bool{}
		got := Shrink(steps, func(s []Step) bool {
			key := ""
			for _, x := range s {
				key += string(rune(x.N + 1))
			}
			if asked[key] && len(s) > len(need) {
				t.Logf("asked again about %d steps", len(s))
			}
			asked[key] = true
			for _, n := range need {
				if !slices.ContainsFunc(s, func(x Step) bool { return x.N == n }) {
					return false
				}
			}
			return true
		}, func() bool { return true })
		var left []int
		for _, s := range got {
			left = append(left, s.N)
		}
		if !slices.Equal(left, need) {
			t.Errorf("want %v, got %v", need, left)
		}
		if len(asked) > 200 {
			t.Errorf("%d tries for %v", len(asked), need)
		}
	}
}

func TestShrinkEndsWhenThereIsNoTime(t *testing.T) {
	t.Parallel()
	tries := 0
	got := Shrink(numbered(64), func(s []Step) bool { tries++; return s[0].N == 0 }, func() bool { return tries < 2 })
	if tries != 2 || len(got) != 32 && len(got) != 16 {
		t.Errorf("%d tries, %d steps left", tries, len(got))
	}
}

func numbered(n int) (steps []Step) {
	for i := range n {
		steps = append(steps, Step{N: i, Kind: "edit"})
	}
	return steps
}

func TestNoiseIsTheWorstOfThoseBeside(t *testing.T) {
	t.Parallel()
	at := func(s float64) time.Time { return time.Unix(1000, 0).Add(time.Duration(s * float64(time.Second))) }
	var n Noise
	if _, ok := n.Beside(at(0), at(9), 0); ok {
		t.Error("measured without a sample")
	}
	for i, late := range []time.Duration{5, 90, 7} {
		n.Add(at(float64(i)), at(float64(i)+.5), late*time.Millisecond, float64(i))
	}
	for _, c := range []struct {
		from, to float64
		want     time.Duration
		ok       bool
	}{{0, .2, 5, true}, {.2, 1.1, 90, true}, {1.4, 1.6, 90, true}, {1.6, 2.1, 7, true}, {.6, .9, 0, false},
		{3, 4, 0, false}} {
		if got, ok := n.Beside(at(c.from), at(c.to), 0); got != c.want*time.Millisecond || ok != c.ok {
			t.Errorf("%v to %v: got %v, %v", c.from, c.to, got, ok)
		}
	}
	for _, c := range []struct{ to, want time.Duration }{{1, 90}, {2, 100}} { // the third was slowed down by 2
		if got, _ := n.Beside(at(0), at(float64(c.to)), 100*time.Millisecond); got != c.want*time.Millisecond {
			t.Errorf("100 ms of work until %d: got %v", c.to, got)
		}
	}
	if sum := n.Sum(); sum.Samples != 3 || sum.P50 != 7 || sum.Worst != 90 {
		t.Errorf("sum %+v", sum)
	}
	n.Add(at(500), at(500), 1, 0)
	if got, ok := n.Beside(at(0), at(9), 0); ok {
		t.Errorf("a sample of minutes ago is kept: %v", got)
	}
}

func TestSlicesAddUpOverTheirFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "state")
	for slice := range 3 {
		s, err := Resume(file, 5)
		if err != nil {
			t.Fatal(err)
		}
		if s.Slices != slice || s.Next["redis"] != 40*slice {
			t.Fatalf("slice %d begins with %+v", slice, s)
		}
		s.Slice(time.Minute, Lateness{Samples: 2, Worst: float64(slice)})
		s.Add("redis", 40*(slice+1), Counts{Steps: map[string]int{"edit": 4, "redis-kill": 2}, Answers: 10, Saved: 3,
			Kept: 2, Worst: float64(10 - slice)},
			[]Finding{{Place: redis, Seed: 5, Step: 40*slice + 3, Kind: "memory", Text: "one | was\nlost"}})
		if err := s.Save(file); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Resume(file, 5)
	if err != nil {
		t.Fatal(err)
	}
	if c := s.Counts["redis"]; s.Faults() != 6 || c.Answers != 30 || c.Worst != 10 || len(s.Findings) != 3 ||
		s.Seconds != 180 {
		t.Errorf("got %+v", s)
	}
	if _, err := Resume(file, 6); err == nil {
		t.Error("another seed goes on where this one stopped")
	}
}

func TestEveryCountIsAddedUp(t *testing.T) {
	t.Parallel()
	one := Counts{Steps: map[string]int{"edit": 1}}
	v := reflect.ValueOf(&one).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Int:
			f.SetInt(int64(i))
		case reflect.Float64:
			f.SetFloat(float64(i))
		}
	}
	two := reflect.ValueOf(one.plus(one))
	for i := range two.NumField() {
		if f := two.Field(i); f.Kind() == reflect.Int && f.Int() != int64(2*i) {
			t.Errorf("%s: got %d", two.Type().Field(i).Name, f.Int())
		}
	}
}

func TestReportHasEachFaultAndEachFindingWithSeedAndStep(t *testing.T) {
	t.Parallel()
	s := NewState(9)
	s.Slice(90*time.Second, Lateness{Samples: 12, P50: 20, P99: 80, Worst: 140})
	s.Skipped["disk-full"] = "this user may not mount"
	s.Add("embedded", 9, Counts{Steps: map[string]int{"checkout": 3, "edit": 50}, Answers: 41}, nil)
	s.Add("redis", 7, Counts{Steps: map[string]int{"redis-cut": 2}, Answers: 43, Over: 1},
		[]Finding{{Place: redis, Seed: 9, Step: 4, Kind: "change", Text: "a.py | was\nnot found"}})
	got := s.Report()
	for _, want := range []string{
		"Seed 9, 1 slices, 90 s: 5 faults, 1 findings.", "| fault | embedded | redis |", "| checkout | 3 | 0 |",
		"| redis-cut | 0 | 2 |", "| all | 3 | 2 |", "| answers | 41 | 43 |", "12 samples, p50 20 ms, p99 80 ms",
		"Not done: disk-full (this user may not mount).", `| change | redis, openai | 9 | 4 | a.py \| was not found |`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q in\n%s", want, got)
		}
	}
	for _, name := range Faults() {
		if !strings.Contains(got, "| "+name+" |") {
			t.Errorf("no row for %q", name)
		}
	}
}

func TestRecordComesBackAsItWasSaved(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "record")
	r := &Record{Seed: 1 << 63, Place: redis, Finding: Finding{Place: redis, Kind: "late", Step: 2},
		Steps: []Step{Next(3, redis, 0), Next(3, redis, 1), {N: 2, Kind: Settle}}}
	if err := r.Save(file); err != nil {
		t.Fatal(err)
	}
	if got, err := Load(file); err != nil || !reflect.DeepEqual(got, r) {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, bad := range []string{"", "{}", `{"steps":[{"kind":"dance"}]}`, "[]"} {
		if err := os.WriteFile(file, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(file); err == nil {
			t.Errorf("%q is a record", bad)
		}
	}
}
