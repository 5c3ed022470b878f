package ignore

import (
	"strings"
	"sync/atomic"
	"testing"
)

// costlyRules are an ignore file whose rules take as many steps as there are, for a path of many "a/".
func costly(n int) string { return strings.Repeat(strings.Repeat("**/a/", 20)+"b\n", n) }

// TestCostOfMatchingOnePathIsBounded: many stars, long sets and many rules take a bounded number of steps.
func TestCostOfMatchingOnePathIsBounded(t *testing.T) {
	t.Parallel()
	for name, pattern := range map[string]func(n int) string{
		"double stars":   func(n int) string { return strings.Repeat("**/a/", n) + "b" },
		"single stars":   func(n int) string { return strings.Repeat("*a", n) + "b" },
		"stars and sets": func(n int) string { return strings.Repeat("*[a-c]", n) + "b" },
		"a long set":     func(n int) string { return "*[" + strings.Repeat("b-c", 1000*n) + "]" + "*d" },
		"nested classes": func(n int) string { return "*[" + strings.Repeat("[:", 1000*n) + "]*d" },
		"a run of stars": func(n int) string { return strings.Repeat("*", 1000*n) + "/x" },
	} {
		for _, n := range []int{10, 40} {
			e := Effort{left: maxEffort}
			e.wildmatch(pattern(n), strings.Repeat("a/", 5*n)+"c", true, false)
			if used := maxEffort - e.left; used > maxSteps && e.left > 0 {
				t.Errorf("%s, %d: %d steps of at most %d", name, n, used, maxSteps)
			}
		}
	}
	for _, n := range []int{500, 2000} {
		rs := New(Compile([]byte(costly(n)), false), Git, "f", 0, false, nil)
		e := Effort{left: maxEffort}
		rs.Decide(strings.Repeat("a/", 40)+"c", "c", false, &e)
		if used := maxEffort - e.left; used > maxEffort+maxSteps {
			t.Errorf("%d rules: %d steps of at most %d", n, used, maxEffort)
		}
	}
}

// TestNothingIsMatchedForNobody: once nobody waits, no further rule is matched.
func TestNothingIsMatchedForNobody(t *testing.T) {
	t.Parallel()
	var stopped atomic.Bool
	stopped.Store(true)
	e := NewEffort(&stopped)
	rs := New(Compile([]byte(costly(100)), false), Git, "f", 0, false, nil)
	if rs.Decide(strings.Repeat("a/", 60)+"f.go", "f.go", false, &e); maxEffort-e.left > 1 {
		t.Errorf("%d steps were made for nobody", maxEffort-e.left)
	}
}
