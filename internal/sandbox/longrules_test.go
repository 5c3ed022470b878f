package sandbox

import (
	"slices"
	"strings"
	"testing"
)

// TestLongIgnoreFileHoldsInItsBeginning: the rules in the first megabyte hold, the rest is told of, wherever the file
// lies.
func TestLongIgnoreFileHoldsInItsBeginning(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("# a comment that takes room\n", maxSideFile/28)
	long := "kept.go\n" + filler + filler + "late.go\n"
	cut := "kept.go\n" + strings.Repeat("#", maxSideFile-len("kept.go\n\nlate.go")) + "\nlate.go.txt\n" // ends within a rule: it does not hold
	for _, tt := range []struct{ name, file, root, rules string }{
		{"in the root", ".gitignore", ".", long},
		{"cut within a rule", ".gitignore", ".", cut},
		{"above the root", ".gitignore", "sub", long},
		{"the repository's own", ".git/info/exclude", ".", long},
		{"an agent's", ".cursorignore", ".", long},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			top := write(t, t.TempDir(), map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/objects/x": "", ".git/refs/x": "", tt.file: tt.rules, "sub/kept.go": "package a\n", "sub/late.go": "package a\n"})
			tree := walk(t, open(t, top+"/"+tt.root, Options{}))
			found := strings.Join(paths(tree), " ")
			if strings.Contains(found, "kept.go") || !strings.Contains(found, "late.go") {
				t.Errorf("indexed %q", found)
			}
			if !slices.ContainsFunc(tree.Warnings, func(w string) bool { return strings.Contains(w, "is longer than 1048576 bytes") }) {
				t.Errorf("warnings %q", tree.Warnings)
			}
		})
	}
}
