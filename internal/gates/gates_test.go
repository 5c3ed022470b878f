package gates

import (
	"math"
	"testing"

	"github.com/contextd/contextd/internal/code"
)

// order lists each gate with the facts that fail it.
var order = []struct {
	reason code.Reason
	fail   func(*Facts)
}{
	{"outside_root", func(f *Facts) { f.Inside = false }},
	{"missing", func(f *Facts) { f.Regular = false }},
	{"binary", func(f *Facts) { f.Binary = true }},
	{"stale", func(f *Facts) { f.Fresh = false }},
	{"secret", func(f *Facts) { f.Secret = true }},
	{"excluded", func(f *Facts) { f.Excluded = true }},
	{"below_threshold", func(f *Facts) { f.Relevance = .29 }},
	{"cap_results", func(f *Facts) { f.Results = 3 }},
	{"cap_bytes", func(f *Facts) { f.Bytes = 101 }},
	{"duplicate", func(f *Facts) { f.Duplicate = true }},
}

func good() Facts {
	return Facts{Inside: true, Regular: true, Fresh: true, Relevance: .3, Results: 2, Left: 100, Bytes: 100}
}

func TestFirstFailingGateGivesTheReason(t *testing.T) {
	t.Parallel()
	o := Options{}.WithDefaults()
	if admit, reason := Decide(good(), o); !admit || reason != "" {
		t.Fatalf("a good candidate: %v, %q", admit, reason)
	}
	for mask := 1; mask < 1<<len(order); mask++ {
		f, want := good(), code.Reason("")
		for i, g := range order {
			if mask>>i&1 == 1 {
				g.fail(&f)
				if want == "" {
					want = g.reason
				}
			}
		}
		if admit, reason := Decide(f, o); admit || reason != want {
			t.Fatalf("%+v: %v, %q, want %q", f, admit, reason, want)
		}
	}
}

func TestFactsNotGatheredFail(t *testing.T) {
	t.Parallel()
	o := Options{MinRelevance: NoThreshold}.WithDefaults()
	for _, f := range []Facts{{}, {Inside: true}, {Inside: true, Regular: true}} {
		if admit, reason := Decide(f, o); admit {
			t.Errorf("%+v is admitted (%q)", f, reason)
		}
	}
	f := good()
	f.Relevance = math.NaN()
	if admit, reason := Decide(f, Options{}.WithDefaults()); admit || reason != BelowThreshold {
		t.Errorf("relevance NaN: %v, %q", admit, reason)
	}
}

func TestChangedFileIsShownAsOverlayOrLeftOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		stale          Mode
		fresh, overlay bool
		want           code.Reason
	}{
		{Verify, true, false, ""}, {Verify, false, true, ""}, {Verify, false, false, Stale},
		{Skip, true, false, ""}, {Skip, false, true, Stale}, {Skip, false, false, Stale},
	} {
		f := good()
		f.Fresh, f.Overlay = c.fresh, c.overlay
		if _, got := Decide(f, Options{Stale: c.stale}.WithDefaults()); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestBudgetCountsResultsBytesAndTexts(t *testing.T) {
	t.Parallel()
	b := NewBudget(Options{MaxResults: 3, MaxBytes: 30})
	ok := Facts{Inside: true, Regular: true, Fresh: true, Relevance: .9}
	for _, c := range []struct {
		text string
		want code.Reason
		left int
	}{
		{"func a() {\n}", "", 18},
		{"func  a() {\n\t}", Duplicate, 18},
		{"func muchTooLongForIt() {\n}", CapBytes, 18},
		{"", "", 18},
		{"grüße", "", 11},
		{"x", CapResults, 11},
	} {
		admit, got := b.Decide(ok, "a.go", c.text)
		if admit != (got == "") || got != c.want || b.Left() != c.left {
			t.Errorf("%q: %q with %d bytes left, want %q and %d", c.text, got, b.Left(), c.want, c.left)
		}
	}
	if b.results != 3 {
		t.Errorf("%d results", b.results)
	}
	secret := ok
	secret.Secret = true
	if _, got := NewBudget(Options{}).Decide(secret, "a.go", "x"); got != Secret {
		t.Errorf("a secret: %q", got)
	}
}

func TestClosedNeedsNoFile(t *testing.T) {
	t.Parallel()
	ok := Facts{Inside: true, Regular: true, Fresh: true, Relevance: .9}
	b := NewBudget(Options{MaxResults: 2, MaxBytes: 4})
	if b.RejectEarly(.9) != "" || b.RejectEarly(.1) != BelowThreshold {
		t.Errorf("empty answer: %q, %q", b.RejectEarly(.9), b.RejectEarly(.1))
	}
	b.Decide(ok, "a.go", "full")
	if got := b.RejectEarly(.9); got != CapBytes {
		t.Errorf("no bytes left: %q", got)
	}
	b.Decide(ok, "a.go", "")
	if got := b.RejectEarly(.9); got != CapResults {
		t.Errorf("no results left: %q", got)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	if got, want := (Options{}).WithDefaults(),
		(Options{MinRelevance: .3, InjectAt: .85, MaxResults: 3, MaxChars: 200, MaxBytes: 2048,
			Stale: Verify}); got != want {
		t.Errorf("defaults %+v", got)
	}
	set := Options{NoThreshold, .9, 1, .1, 1, 2, 3, Skip, 4}
	if got := set.WithDefaults(); got != set {
		t.Errorf("set options became %+v", got)
	}
	if Threshold(0) != NoThreshold || Threshold(.4) != .4 {
		t.Error("Threshold")
	}
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{}, ""},
		{set, ""},
		{Options{MinRelevance: 1.4}, "gates.min_relevance must be between 0 and 1 (got 1.4)"},
		{Options{MinRelevance: -.5}, "gates.min_relevance must be between 0 and 1 (got -0.5)"},
		{Options{MinRelevance: math.NaN()}, "gates.min_relevance must be between 0 and 1 (got NaN)"},
		{Options{MaxResults: -1}, "gates.max_results must be a whole number from 1 (got -1)"},
		{Options{MaxChars: -2}, "gates.max_chars must be a whole number from 1 (got -2)"},
		{Options{MaxBytes: -3}, "gates.max_bytes must be a whole number from 1 (got -3)"},
		{Options{MaxLines: -4}, "gates.max_lines must be a whole number from 0 (got -4)"},
		{Options{Stale: "maybe"}, `gates.stale must be "verify" or "skip" (got "maybe")`},
	} {
		got := ""
		if err := c.o.Validate(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%+v: %q, want %q", c.o, got, c.want)
		}
	}
}

func TestCopiesInSeveralFilesAreSeveralAnswers(t *testing.T) {
	t.Parallel()
	b := NewBudget(Options{})
	ok := Facts{Inside: true, Regular: true, Fresh: true, Relevance: 1}
	for _, path := range []code.Path{"kept.py", "logs/kept.py"} {
		if admit, reason := b.Decide(ok, path, "def bell():"); !admit {
			t.Errorf("%s: %s", path, reason)
		}
	}
	if _, reason := b.Decide(ok, "kept.py", "def  bell():"); reason != Duplicate {
		t.Errorf("the same text of the same file: %q, want duplicate", reason)
	}
}
