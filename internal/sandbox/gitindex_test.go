package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestIndexEqualsGit: every version of the index file gives the paths that git lists.
func TestIndexEqualsGit(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2", "3", "4", "split", "sha256", "sha256-4", "empty", "conflict", "sparse"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			format := "sha1"
			if strings.HasPrefix(version, "sha256") {
				format = "sha256"
			}
			git(t, root, "init", "-q", "--object-format="+format)
			files := map[string]string{}
			for i := range 300 {
				files[fmt.Sprintf("dir%d/sub%d/%s.go", i%7, i%3, strings.Repeat("n", 1+i%40)+fmt.Sprint(i))] = "x\n"
			}
			files["日本/語.py"] = "x\n"
			if version != "empty" {
				write(t, root, files)
				git(t, root, "add", "-A")
			}
			switch version {
			case "3":
				write(t, root, map[string]string{"intended.go": "x\n"})
				git(t, root, "add", "-N", "intended.go")
			case "4", "sha256-4":
				git(t, root, "update-index", "--index-version", "4")
			case "split":
				git(t, root, "config", "splitIndex.maxPercentChange", "100")
				git(t, root, "update-index", "--split-index")
				for i := range 90 { // runs of deleted entries, single ones, changed ones
					name := fmt.Sprintf("dir%d/sub%d/%s.go", i%7, i%3, strings.Repeat("n", 1+i%40)+fmt.Sprint(i))
					if i%5 == 0 {
						write(t, root, map[string]string{name: "changed\n"})
					} else {
						must(t, os.Remove(filepath.Join(root, name)))
					}
				}
				write(t, root, map[string]string{"new/a.go": "x\n", "dir0/new.go": "x\n"})
				git(t, root, "add", "-A")
				if found, _ := filepath.Glob(filepath.Join(root, ".git/sharedindex.*")); len(found) == 0 {
					t.Fatal("git made no split index")
				}
			case "conflict":
				git(t, root, "commit", "-qm", "one")
				git(t, root, "checkout", "-q", "-b", "side")
				write(t, root, map[string]string{"日本/語.py": "side\n"})
				git(t, root, "commit", "-qam", "side")
				git(t, root, "checkout", "-q", "main")
				write(t, root, map[string]string{"日本/語.py": "main\n"})
				git(t, root, "commit", "-qam", "main")
				gitMayFail(root, "merge", "side")
			case "sparse":
				git(t, root, "commit", "-qm", "one")
				git(t, root, "sparse-checkout", "set", "--cone", "--sparse-index", "dir1")
			}
			r := openRepo(root, nil)
			if r == nil {
				t.Fatal("no repository found")
			}
			x, err := readIndex(r)
			must(t, err)
			got := slices.Compact(slices.Clone(x.Paths))
			args := []string{"ls-files", "-z"}
			if version == "sparse" {
				args = append(args, "--sparse")
			}
			if diff := difference(got, lines0(git(t, root, args...))); diff != "" {
				t.Errorf("%s", diff)
			}
			if version != "empty" && (!x.HasUnder("dir1/sub1/") || x.HasUnder("dir1/su/") || x.HasUnder("di/") || x.Has("dir1")) {
				t.Error("look-ups in the index are wrong")
			}
		})
	}
}

// TestDamagedIndexIsNone: an index that cannot be read counts as empty, and the walk says so.
func TestDamagedIndexIsNone(t *testing.T) {
	t.Parallel()
	root := write(t, t.TempDir(), map[string]string{"kept.py": "x\n"})
	git(t, root, "init", "-q")
	git(t, root, "add", "-A")
	write(t, root, map[string]string{".gitignore": "kept.py\n", ".git/index": "DIRC\x00\x00\x00\x02\x00\x00\x00\xffjunk that is no entry at all"})
	tree := walk(t, open(t, root))
	if got := paths(tree); !slices.Equal(got, []string{".gitignore"}) || len(tree.Warnings) != 1 || !strings.Contains(tree.Warnings[0], "damaged git index") {
		t.Errorf("walk = %q, warnings %q", got, tree.Warnings)
	}
}

// TestUserExcludes: the user's excludes file is the one that git takes. Not parallel: it sets the environment.
func TestUserExcludes(t *testing.T) {
	root := write(t, t.TempDir(), map[string]string{"a.one": "x\n", "b.two": "x\n", "c.three": "x\n", "nested/d.one": "x\n"})
	git(t, root, "init", "-q")
	git(t, filepath.Join(write(t, root, map[string]string{"nested/": ""}), "nested"), "init", "-q")
	home := write(t, t.TempDir(), map[string]string{".config/git/ignore": "*.one\n", "two": "*.two\n", "three": "*.three\n",
		"global": "[core]\nexcludesFile = " + "three" + "\n"})
	write(t, home, map[string]string{"global": fmt.Sprintf("[core]\nexcludesFile = %q\n", filepath.Join(home, "three"))})
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	check := func(step string, want ...string) {
		t.Helper()
		got := paths(walk(t, open(t, root)))
		if !slices.Equal(got, want) {
			t.Errorf("%s: walk = %q, want %q", step, got, want)
		}
		all := lines0(git(t, root, "ls-files", "-z", "-o", "--exclude-standard"))
		all = slices.DeleteFunc(all, func(s string) bool { return strings.HasPrefix(s, "nested") })
		if got = slices.DeleteFunc(got, func(s string) bool { return strings.HasPrefix(s, "nested") }); !slices.Equal(got, all) {
			t.Errorf("%s: walk = %q, git says %q", step, got, all)
		}
	}
	check("default file", "b.two", "c.three")
	write(t, home, map[string]string{".gitconfig": "[core]\n\texcludesfile = ~/two\n"})
	check("~/.gitconfig", "a.one", "c.three", "nested/d.one")
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, "global"))
	check("GIT_CONFIG_GLOBAL", "a.one", "b.two", "nested/d.one")
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	check("no global file", "b.two", "c.three")
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "empty"))
	check("another XDG_CONFIG_HOME", "a.one", "b.two", "c.three", "nested/d.one")
}
