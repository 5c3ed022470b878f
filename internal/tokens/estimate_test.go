package tokens

import "testing"

func TestAnEstimateCountsBytesAndLoadsNothing(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 0, "a": 1, "abc": 1, "abcd": 2, "日本": 2} {
		if got := Estimate().Count(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	if Estimate().codec != nil || Estimate().Encoding() != Estimated {
		t.Error("a vocabulary is loaded")
	}
}
