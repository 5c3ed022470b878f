package gates

import "testing"

func TestGradesDivideRelevance(t *testing.T) {
	t.Parallel()
	guesses := Options{Pointers: 2, Floor: .02}.WithDefaults()
	sure := Options{MinRelevance: .9}.WithDefaults()
	for _, c := range []struct {
		o    Options
		x    float64
		want Grade
	}{
		{guesses, .85, Strong}, {guesses, .84, Likely}, {guesses, .3, Likely}, {guesses, .29, Possible},
		{guesses, .02, Possible}, {guesses, .019, ""},
		{Options{}.WithDefaults(), .29, ""}, {sure, .9, Strong}, {sure, .89, ""},
		{Options{MinRelevance: NoThreshold}.WithDefaults(), 0, Likely},
	} {
		if got := c.o.GradeOf(c.x); got != c.want {
			t.Errorf("%+v: grade %q of %v, want %q", c.o, got, c.x, c.want)
		}
	}
}

func TestNoMoreGuessesThanWanted(t *testing.T) {
	t.Parallel()
	b := NewBudget(Options{MaxResults: 9, Pointers: 2, Floor: .02})
	f := good()
	for i, x := range []float64{.5, .2, .1, .1, .4} {
		f.Relevance = x
		got, reason := b.Decide(f, "a.go", string(rune('a'+i)))
		if want := i != 3; got != want || !want && (reason != BelowThreshold || b.RejectEarly(x) != BelowThreshold) {
			t.Errorf("candidate %d of relevance %v: %v, %q", i, x, got, reason)
		}
	}
}
