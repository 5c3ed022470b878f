package ignore

import (
	"strings"
	"testing"
)

func FuzzIgnore(f *testing.F) {
	f.Add("*.py\n!a/**/b\n[a-z]?\\ \n", "a/x/b", "a**b[", false)
	f.Fuzz(func(t *testing.T, rules, path, pattern string, fold bool) {
		name := path[strings.LastIndexByte(path, '/')+1:]
		for k := Git; k <= Own; k++ {
			if rs := New(Compile([]byte(rules), fold), k, "f", 0, fold, nil); rs != nil {
				full := func() *Effort { return &Effort{left: maxEffort} }
				rs.match(path, name, true, full())
				rs.reachesBelow(path)
				// The fast paths find the rule that trying each in turn finds.
				table := *rs.Table
				table.names, table.exts = nil, nil
				slow := *rs
				slow.Table = &table
				if a, b := rs.match(path, name, false, full()),
					slow.match(path, name, false, full()); (a == nil) != (b == nil) || a != nil && a.line != b.line {
					t.Errorf("fast and slow differ on %q with %q", path, rules)
				}
			}
		}
		// A pattern matches itself where it holds nothing special, with and without folders.
		if !strings.ContainsAny(pattern, `*?[\`) &&
			(!Match(pattern, pattern, true, fold) || !Match(pattern, pattern, false, fold)) {
			t.Errorf("%q does not match itself", pattern)
		}
		Match(pattern, path, true, fold)
	})
}

// TestHostilePatternEnds: a pattern made to take exponential time is given up.
func TestHostilePatternEnds(t *testing.T) {
	t.Parallel()
	if Match(strings.Repeat("**/a/", 30)+"b", strings.Repeat("a/", 60)+"c", true, false) {
		t.Error("it matches")
	}
}
