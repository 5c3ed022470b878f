//go:build unix

package sandbox

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
)

var randomPatterns = []string{"*.txt", "*.t?t", "/top*", "foo", "foo/", "/foo", "foo/*", "!foo/keep.txt", "**/deep", "deep/**", "a/**/z.py",
	"a/b", "/a/b/", "[ab]*.py", "[!a]z.py", "!z.py", "!*.py", "*", "!*/", "z.*", `\#hash.py`, `\!bang.py`, "trail.py   ", `trail.py\ `,
	"# comment", "", "foo/**/bar", "**/foo/bar", "*/foo", "/*/z.py", "!/foo", "!foo/", "b", "!b", "*.PY", "a*/", "no/such", "//a", "/",
	"foo//bar", `\z.py`, "{a,b}.py", "z.py/", "***", "a/*/", "!a/*/z.py", "a**/z.py", "a**b", "**", "**/", "/**", "!**/z.py", "a/**",
	"[[:alpha:]]z.py", "[a-", "[]z.py", "[^a]z.py", `[\a]z.py`, "[[:nope:]]z.py", "*.py\r", " z.py", "\tz.py", "?z.py", "foo/**/**/bar",
	"*a*", "*/*/z.py", "**/*.txt", "f**r/z.py", "foo/bar/", "!foo/bar/", "*.", ".*", "!.gitignore", `foo\`, "a/b/**/deep/z.py", "*/b",
	"z.[p]y", "[[:punct:]]*", "[a-c]/z.py", "**/b/**", "!**/b/**/", "/foo/../a", "./a", "a/./b", "*z*y", "t*p1*t", "tr[a-z]il.py", "[!]z]*"}

func randomIgnore(rng *rand.Rand) string {
	var lines []string
	for range 1 + rng.IntN(12) {
		lines = append(lines, randomPatterns[rng.IntN(len(randomPatterns))])
	}
	end := []string{"\n", "\r\n", "\n\n"}[rng.IntN(3)]
	text := strings.Join(lines, end)
	if rng.IntN(2) == 0 {
		text += end
	}
	if rng.IntN(6) == 0 {
		text = "\ufeff" + text
	}
	return text
}

// TestIgnoreRulesEqualGit: on generated trees the files that count are those that git would not ignore.
func TestIgnoreRulesEqualGit(t *testing.T) {
	t.Parallel()
	leaves := []string{"z.py", "az.py", "top1.txt", "keep.txt", "#hash.py", "!bang.py", "trail.py", "trail.py ", " z.py", "b", "x.PY", "bar/z.py"}
	folders := []string{"", "foo", "foo/bar", "a", "a/b", "a/b/deep", "deep", "b", "foo/b/bar", "a/foo/bar"}
	trees := 240
	if testing.Short() {
		trees = 40
	}
	ignored, subRoots := 0, 0
	for seed := range trees {
		rng := rand.New(rand.NewPCG(uint64(seed), 7))
		root := t.TempDir()
		git(t, root, "init", "-q")
		files := map[string]string{}
		for _, dir := range folders {
			for range 4 {
				files[filepath.ToSlash(filepath.Join(dir, leaves[rng.IntN(len(leaves))]))] = "x\n"
			}
		}
		for name := range files { // a file where another needs a folder
			for up := filepath.Dir(name); up != "."; up = filepath.Dir(up) {
				delete(files, up)
			}
		}
		ignores := map[string]string{".gitignore": randomIgnore(rng), ".git/info/exclude": randomIgnore(rng)}
		for range 3 {
			ignores[filepath.ToSlash(filepath.Join(folders[rng.IntN(len(folders))], ".gitignore"))] = randomIgnore(rng)
		}
		write(t, root, files)
		if rng.IntN(2) == 0 { // some are tracked before there is any rule
			var names []string
			for name := range files {
				names = append(names, name)
			}
			slices.Sort(names)
			add := []string{"--literal-pathspecs", "add", "--"}
			for _, name := range names {
				if rng.IntN(6) == 0 {
					add = append(add, name)
				}
			}
			if len(add) > 3 {
				git(t, root, add...)
			}
		}
		write(t, root, ignores)
		if rng.IntN(5) == 0 {
			git(t, root, "config", "core.ignorecase", "true")
		}
		want := lines0(git(t, root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"))
		r := open(t, root)
		got := paths(walk(t, r))
		if diff := difference(got, want); diff != "" {
			t.Fatalf("seed %d: %s\nrules %q", seed, diff, ignores)
		}
		for _, sub := range folders[1:] { // a root further down obeys the rules above it, unless they ignore it
			if info, err := os.Stat(filepath.Join(root, sub)); err != nil || !info.IsDir() {
				continue
			}
			r := open(t, filepath.Join(root, sub))
			if r.newScan().outer == nil {
				continue
			}
			var below []string
			for _, name := range want {
				if rel, ok := strings.CutPrefix(name, sub+"/"); ok {
					below = append(below, rel)
				}
			}
			subRoots++
			got := paths(walk(t, r))
			r.Close()
			if diff := difference(got, below); diff != "" {
				t.Fatalf("seed %d, root %q: %s\nrules %q", seed, sub, diff, ignores)
			}
		}
		details := map[string]string{}
		for name := range files {
			_, skip := r.Check(name)
			if skip.Reason == "" != slices.Contains(want, name) || skip.Reason != "" && skip.Reason != code.Ignored {
				t.Fatalf("seed %d: Check(%q) = %+v, a walk says otherwise\nrules %q", seed, name, skip, ignores)
			}
			if skip.Reason != "" {
				details[name] = skip.Detail
			}
		}
		ignored += len(details)
		checkDetails(t, root, details)
	}
	if ignored < trees || subRoots < trees {
		t.Fatalf("%d ignored files and %d roots further down in %d trees: too little was tried", ignored, subRoots, trees)
	}
}

// checkDetails holds the rules named for ignored files against git's own account.
func checkDetails(t *testing.T, root string, details map[string]string) {
	t.Helper()
	if len(details) == 0 {
		return
	}
	names := slices.Collect(maps.Keys(details))
	out := strings.Split(gitInput(t, root, strings.Join(names, "\x00")+"\x00", "check-ignore", "-v", "-z", "--stdin", "--no-index"), "\x00")
	if len(out) != 4*len(names)+1 {
		t.Fatalf("git check-ignore -v knows of %d files, want %d", len(out)/4, len(names))
	}
	for ; len(out) > 4; out = out[4:] {
		if want, got := fmt.Sprintf("at %s:%s", out[0], out[1]), details[out[3]]; !strings.HasPrefix(got, "rule ") || !strings.HasSuffix(got, want) {
			t.Fatalf("Detail of %q = %q, want the rule %s", out[3], got, want)
		}
	}
}
