package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/code"
)

// chain makes nested folders with names of n bytes, without paths too long for the system, and calls each in every one
// of them.
func chain(t testing.TB, top string, depth, n int, each func(at *os.Root, i int)) {
	t.Helper()
	at, err := os.OpenRoot(top)
	must(t, err)
	for i := range depth {
		name := strings.Repeat(string(rune('a'+i%26)), n)
		must(t, at.Mkdir(name, 0o755))
		next, err := at.OpenRoot(name)
		must(t, err)
		at.Close()
		at = next
		each(at, i)
	}
	at.Close()
}

// removeChain removes what chain made, for os.RemoveAll cannot where a path is too long for the system.
func removeChain(t testing.TB, top string) {
	t.Cleanup(func() {
		root, err := os.OpenRoot(top)
		must(t, err)
		defer root.Close()
		entries, _ := os.ReadDir(top)
		for _, e := range entries {
			_ = root.RemoveAll(e.Name())
		}
	})
}

func skippedFor(tree *Tree, reason code.Reason) (found []Skipped) {
	for _, s := range tree.Skipped {
		if s.Reason == reason {
			found = append(found, s)
		}
	}
	return found
}

// TestWalkOverItsMemoryLeavesOutTheDeepest: what a walk cannot hold is left out with a reason, the rest is found, and a
// second walk finds the same.
func TestWalkOverItsMemoryLeavesOutTheDeepest(t *testing.T) {
	t.Parallel()
	top := write(t, t.TempDir(), map[string]string{"a.go": "x\n", "z/z.go": "x\n"})
	removeChain(t, top)
	chain(t, top, 100, 200, func(at *os.Root, i int) {
		for k := range 4 {
			must(t, at.WriteFile(fmt.Sprintf("f%d.go", k), []byte("x\n"), 0o644))
		}
	})
	r := open(t, top, Options{MaxWalkBytes: 1 << 20})
	tree := walk(t, r)
	held := 0
	for _, f := range tree.Files {
		held += len(f.Path)
	}
	if held > 1<<20 || len(tree.Files) < 100 {
		t.Errorf("%d files with paths of %d bytes", len(tree.Files), held)
	}
	for _, want := range []string{"a.go", "z/z.go"} {
		if !slices.Contains(paths(tree), want) {
			t.Errorf("%s is missing", want)
		}
	}
	if over := skippedFor(tree, code.CapMemory); len(over) != 1 || !over[0].Dir || !strings.Contains(over[0].Detail, "1048576 bytes (max-walk-bytes)") {
		t.Errorf("skipped = %+v", over)
	}
	if again := walk(t, r); !reflect.DeepEqual(again, tree) {
		t.Errorf("the second walk found %d files, the first %d", len(again.Files), len(tree.Files))
	}
}

// TestWalkLeavesOutPathsThatNoSystemTakes: a path over the limit is left out with a reason, whatever the budget.
func TestWalkLeavesOutPathsThatNoSystemTakes(t *testing.T) {
	t.Parallel()
	top := write(t, t.TempDir(), map[string]string{"a.go": "x\n"})
	removeChain(t, top)
	chain(t, top, 200, 250, func(at *os.Root, i int) { must(t, at.WriteFile("f.go", []byte("x\n"), 0o644)) })
	tree := walk(t, open(t, top))
	over := skippedFor(tree, code.CapMemory)
	if len(over) != 1 || len(over[0].Path) > maxTreePath+256 || len(tree.Files) != 1+maxTreePath/251 {
		t.Errorf("%d files, skipped %d", len(tree.Files), len(over))
	}
}

// TestEqualRulesAndIndexesAreHeldOnce: many names of one ignore file or one git index cost what one costs.
func TestEqualRulesAndIndexesAreHeldOnce(t *testing.T) {
	t.Parallel()
	const folders, budget = 100, 4 << 20 // a tenth of what they would cost one by one
	t.Run("an ignore file hard-linked into nested folders", func(t *testing.T) {
		t.Parallel()
		top := t.TempDir()
		var rules strings.Builder
		for i := range 2000 {
			fmt.Fprintf(&rules, "no%d?\n", i)
		}
		write(t, top, map[string]string{"a.go": "x\n", ".gitignore": rules.String()})
		dir := top
		for range folders {
			dir = filepath.Join(dir, "d")
			must(t, os.Mkdir(dir, 0o755))
			must(t, os.Link(filepath.Join(top, ".gitignore"), filepath.Join(dir, ".gitignore")))
			write(t, dir, map[string]string{"b.go": "x\n", "no7x": "x\n"})
		}
		tree := walk(t, open(t, top, Options{MaxWalkBytes: budget}))
		if over := skippedFor(tree, code.CapMemory); len(over) > 0 || len(skippedFor(tree, code.Ignored)) != folders || len(tree.Files) != 2+2*folders {
			t.Errorf("%d files, skipped %+v", len(tree.Files), over)
		}
	})
	t.Run("a git index named by many .git files", func(t *testing.T) {
		t.Parallel()
		top := t.TempDir()
		git(t, top, "init", "-q", "main")
		main := filepath.Join(top, "main")
		write(t, main, map[string]string{".gitignore": "*.gen\n"})
		var entries strings.Builder
		for i := range 3000 {
			fmt.Fprintf(&entries, "100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391 0\t%s%d\n", strings.Repeat("n", 100), i)
		}
		gitInput(t, main, entries.String(), "update-index", "--index-info")
		for i := range folders {
			write(t, top, map[string]string{fmt.Sprintf("w%d/.git", i): "gitdir: ../main/.git\n", fmt.Sprintf("w%d/a.gen", i): "x\n",
				fmt.Sprintf("w%d/.gitignore", i): "*.gen\n"})
		}
		tree := walk(t, open(t, top, Options{MaxWalkBytes: budget}))
		if over := skippedFor(tree, code.CapMemory); len(over) > 0 || len(tree.Warnings) > 0 {
			t.Errorf("warnings %q, skipped %+v", tree.Warnings, over)
		}
	})
}

// TestRulesThatCannotBeHeldLeaveTheirFolderOut: a folder whose ignore file is over the budget is left out as a whole,
// for what the file ignores is not known.
func TestRulesThatCannotBeHeldLeaveTheirFolderOut(t *testing.T) {
	t.Parallel()
	rules := func(i int) string { return strings.Repeat(fmt.Sprintf("x%d?\n", i), 20_000) + "hidden.go\n" }
	top := write(t, t.TempDir(), map[string]string{"a.go": "x\n", "one/.gitignore": rules(1), "one/hidden.go": "x\n", "two/.gitignore": rules(2),
		"two/hidden.go": "x\n", "three/c.go": "x\n", "two/.contextdignore": "!hidden.go\n"})
	r := open(t, top, Options{MaxWalkBytes: 1 << 20})
	tree := walk(t, r)
	if got := paths(tree); !slices.Equal(got, []string{"a.go", "three/c.go"}) {
		t.Errorf("walk = %q", got)
	}
	if over := skippedFor(tree, code.CapMemory); len(over) != 2 {
		t.Errorf("skipped = %+v", over)
	}
	if s := r.Why(t.Context(), "two/hidden.go"); s.Reason != code.CapMemory {
		t.Errorf("Why = %+v", s)
	}
}

// TestIndexThatCannotBeHeldIsSaid: a git index over the budget is a warning; what it tracks counts as untracked.
func TestIndexThatCannotBeHeldIsSaid(t *testing.T) {
	t.Parallel()
	top := write(t, t.TempDir(), map[string]string{"a.go": "x\n", ".gitignore": "t.go\n", "t.go": "x\n"})
	git(t, top, "init", "-q")
	git(t, top, "add", "-f", "t.go")
	var entries strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&entries, "100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391 0\t%s%d\n", strings.Repeat("n", 100), i)
	}
	gitInput(t, top, entries.String(), "update-index", "--index-info")
	tree := walk(t, open(t, top, Options{MaxWalkBytes: 100_000}))
	if got := paths(tree); !slices.Equal(got, []string{".gitignore", "a.go"}) || len(tree.Warnings) != 1 || !strings.Contains(tree.Warnings[0], "max-walk-bytes") {
		t.Errorf("walk = %q, warnings %q", got, tree.Warnings)
	}
}

// costly is an ignore file whose rules take as many steps as there are, for a path of many "a/".
func costly(n int) string { return strings.Repeat(strings.Repeat("**/a/", 20)+"b\n", n) }

// TestPathWhoseRulesAreTooCostlyIsLeftOut: nobody knows then whether a rule would ignore it.
func TestPathWhoseRulesAreTooCostlyIsLeftOut(t *testing.T) {
	t.Parallel()
	path := strings.Repeat("a/", 40) + "c.go"
	root := write(t, t.TempDir(), map[string]string{".gitignore": costly(1), path: "x\n", "other.go": "x\n"})
	r := open(t, root)
	if s := r.Why(t.Context(), path); s.Reason != code.Ignored || s.Detail != tooCostly {
		t.Errorf("Why = %+v", s)
	}
	if got := paths(walk(t, r)); !slices.Equal(got, []string{".gitignore", "other.go"}) {
		t.Errorf("walk = %q", got)
	}
}

// TestWhyEndsWithItsRequest: once nobody waits, no further rule is matched.
func TestWhyEndsWithItsRequest(t *testing.T) {
	t.Parallel()
	var files = map[string]string{}
	dir := ""
	for range 60 {
		dir += "a/"
		files[dir+".gitignore"] = costly(1) + strings.Repeat("x?y\n", 5000)
	}
	files[dir+"f.go"] = "x\n"
	r := open(t, write(t, t.TempDir(), files))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	done := make(chan struct{})
	go func() { r.Why(ctx, dir+"f.go"); close(done) }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Error("it does not end")
	}
}
