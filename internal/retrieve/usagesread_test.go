package retrieve

import (
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/lexical"
)

// FuzzLinesNaming compares the search for a name with going through all identifiers.
func FuzzLinesNaming(f *testing.F) {
	f.Add("a gate\ngates gate_2 gate\n\nÖgate gate", "gate")
	f.Add("aaaaaaaa\naa a aa", "aa")
	f.Fuzz(func(t *testing.T, text, name string) {
		if start, end := lexical.NextIdent(name, 0); start > 0 || end == 0 || end < len(name) ||
			strings.ContainsFunc(text, lexical.Spaceless) || strings.ToValidUTF8(text, "") != text {
			return // sentences without spaces are cut by length
		}
		var want []int
		for i, line := range strings.Split(text, "\n") {
			for at := 0; ; {
				start, end := lexical.NextIdent(line, at)
				if start == len(line) {
					break
				}
				if line[start:end] == name && !slices.Contains(want, i+1) {
					want = append(want, i+1)
				}
				at = end
			}
		}
		if got, done := linesNaming(t.Context(), text, name); !done || !slices.Equal(got, want) {
			t.Errorf("lines of %q that name %q: got %v, want %v", text, name, got, want)
		}
	})
}
