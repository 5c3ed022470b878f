package sandbox

import (
	"slices"
	"testing"
)

// TestFolderNamesDoNotHideSource: a folder called as build output often is counts below a source folder where git does
// not ignore it, and without git.
func TestFolderNamesDoNotHideSource(t *testing.T) {
	t.Parallel()
	files := map[string]string{"src/routes/coverage/page.ts": "x\n", "src/build/plan.go": "x\n", "lib/target/x.rs": "x\n", "dist/bundle.go": "x\n",
		"src/__pycache__/x.py": "x\n", "out/a.go": "x\n"}
	plain := paths(walk(t, open(t, write(t, t.TempDir(), files))))
	if want := []string{"lib/target/x.rs", "src/build/plan.go", "src/routes/coverage/page.ts"}; !slices.Equal(plain, want) {
		t.Errorf("without git: %q, want %q", plain, want)
	}
	root := write(t, t.TempDir(), files)
	git(t, root, "init", "-q")
	write(t, root, map[string]string{".gitignore": "/dist/\n"})
	in := paths(walk(t, open(t, root)))
	if want := []string{".gitignore", "lib/target/x.rs", "src/build/plan.go", "src/routes/coverage/page.ts"}; !slices.Equal(in, want) {
		t.Errorf("with git: %q, want %q", in, want)
	}
}
