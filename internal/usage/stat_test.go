package usage

import (
	"math"
	"testing"
	"time"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-6 }

func TestScoreHalvesIn7Days(t *testing.T) {
	t.Parallel()
	s := stat{}.record(true, true, .4, noon)
	for days, want := range map[int]float64{0: .4, 7: .2, 14: .1, -3: .4} {
		if got := s.scoreAt(noon.AddDate(0, 0, days)); !near(got, want) {
			t.Errorf("after %d days: %v, want %v", days, got, want)
		}
	}
	if got := s.record(true, true, .4, noon.AddDate(0, 0, 7)).scoreAt(noon.AddDate(0, 0, 7)); !near(got, .6) {
		t.Errorf("with a second reference: %v, want .6", got)
	}
}

func TestBoostIsHalfPlusTheRateAfterTwoRetrievals(t *testing.T) {
	t.Parallel()
	for events, want := range map[string]float64{
		"":     1,
		"u":    1,
		"d":    1,
		"uu":   1.5,
		"dd":   .5,
		"ud":   1,
		"du":   1,
		"uddd": .75,
		"uuud": 1.25,
	} {
		var s stat
		for _, e := range events {
			s = s.record(true, e == 'u', 0, noon)
		}
		if got := s.boost(minItem); !near(got, want) {
			t.Errorf("%q: %v, want %v", events, got, want)
		}
	}
}

func TestLateEventsWeighMoreThanEarlyOnes(t *testing.T) {
	t.Parallel()
	s := stat{}.record(true, false, 0, noon).record(true, false, 0, noon).record(true, true, 1, noon.AddDate(0, 0, 28))
	if got := s.boost(minItem); !near(got, .5+1/(1+2.0/16)) {
		t.Errorf("%v", got)
	}
}

func TestClockThatGoesBackAgesNothing(t *testing.T) {
	t.Parallel()
	s := stat{}.record(true, true, 1, noon).record(true, true, 1, noon.AddDate(-1, 0, 0))
	if got := s.scoreAt(noon); !near(got, 2) || !s.at.Equal(noon) || s.boost(minItem) != 1.5 {
		t.Errorf("%+v", s)
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add(pack(map[string]stat{"a": {3, 1, 2.5, .5, .25, noon}, "": {}}))
	f.Add([]byte{1, 255, 255, 255})
	f.Fuzz(func(t *testing.T, data []byte) {
		items, err := unpack(data)
		if err != nil {
			return
		}
		again, err := unpack(pack(items))
		if err != nil || len(again) != len(items) {
			t.Fatalf("%v: %v, not %v", err, again, items)
		}
		for id, s := range items {
			if again[id] != s {
				t.Errorf("%q: %+v, not %+v", id, again[id], s)
			}
		}
	})
}
