package sandbox

import (
	"encoding/binary"
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
			got := slices.Compact(slices.Clone(x.paths))
			args := []string{"ls-files", "-z"}
			if version == "sparse" {
				args = append(args, "--sparse")
			}
			if diff := difference(got, lines0(git(t, root, args...))); diff != "" {
				t.Errorf("%s", diff)
			}
			if version != "empty" && (!x.hasUnder("dir1/sub1/") || x.hasUnder("dir1/su/") || x.hasUnder("di/") || x.has("dir1")) {
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

func FuzzIndex(f *testing.F) {
	root := write(f, f.TempDir(), map[string]string{"a.go": "x\n", "dir/b.go": "x\n", "dir/c.go": "x\n"})
	git(f, root, "init", "-q")
	git(f, root, "add", "-A")
	for _, version := range []string{"2", "4"} {
		git(f, root, "update-index", "--index-version", version)
		data, err := os.ReadFile(filepath.Join(root, ".git/index"))
		must(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, hashLen := range []int{20, 32} {
			names, link, err := parseIndex(data, hashLen)
			if err != nil && (names != nil || link != nil) || len(names) > len(data) {
				t.Errorf("%d entries of %d bytes, %v", len(names), len(data), err)
			}
			if total := len(strings.Join(names, "")); total > max(maxExpansion*len(data), 1<<20) {
				t.Errorf("%d bytes of paths from %d bytes", total, len(data))
			}
			for _, name := range names {
				if strings.IndexByte(name, 0) >= 0 {
					t.Errorf("path %q", name)
				}
			}
			if len(link) > hashLen {
				data = link[hashLen:]
			}
			if bits, err := ewah(data, 1000); err == nil && len(bits) != 1000 {
				t.Errorf("%d bits", len(bits))
			}
		}
	})
}

func FuzzIgnore(f *testing.F) {
	f.Add("*.py\n!a/**/b\n[a-z]?\\ \n", "a/x/b", "a**b[", false)
	f.Fuzz(func(t *testing.T, rules, path, pattern string, fold bool) {
		name := path[strings.LastIndexByte(path, '/')+1:]
		for k := kindGit; k <= kindOwn; k++ {
			if rs := newRuleset(newRuletable([]byte(rules), fold), k, "f", 0, fold, nil); rs != nil {
				full := func() *effort { return &effort{left: maxEffort} }
				rs.match(path, name, true, full())
				rs.reachesBelow(path)
				// The fast paths find the rule that trying each in turn finds.
				table := *rs.ruletable
				table.names, table.exts = nil, nil
				slow := *rs
				slow.ruletable = &table
				if a, b := rs.match(path, name, false, full()), slow.match(path, name, false, full()); (a == nil) != (b == nil) || a != nil && a.line != b.line {
					t.Errorf("fast and slow differ on %q with %q", path, rules)
				}
			}
		}
		// A pattern matches itself where it holds nothing special, with and without folders.
		if !strings.ContainsAny(pattern, `*?[\`) && (!wildmatch(pattern, pattern, true, fold) || !wildmatch(pattern, pattern, false, fold)) {
			t.Errorf("%q does not match itself", pattern)
		}
		wildmatch(pattern, path, true, fold)
	})
}

// settings are all settings of a configuration without a subsection, each to its last value.
func settings(text string) map[string]string {
	all := map[string]string{}
	eachSetting([]byte(text), func(x setting) {
		if x.sub == "" {
			all[x.section+"."+x.key] = x.value
		}
	})
	return all
}

func FuzzGitConfig(f *testing.F) {
	for _, seed := range []string{"[core]\n\tbare = true\n", "[a \"b\"] c=\"d # e\" ; f\n", "[core]\nx = a \\\n b\n", "[", "[a]=", "\ufeff[a]\r\nb\r\n", "[a]b=\"\\"} {
		f.Add(seed, "bare", "va lue")
	}
	f.Fuzz(func(t *testing.T, text, key, value string) {
		for k, v := range settings(text) {
			if !strings.Contains(k, ".") || len(k)+len(v) > 4*len(text)+8 || len(v) > maxConfigText {
				t.Errorf("key %q, value %q of %q", k, v, text)
			}
		}
		// What is written quoted in a section of its own comes back, whatever stands before it.
		if strings.Trim(key, "abcdefghijklmnopqrstuvwxyz") == "" && key != "" && !strings.ContainsAny(value, "\"\\\n\r") &&
			!strings.ContainsAny(text, "\"\\[]") && len(key) <= maxConfigName && len(value) <= maxConfigText {
			if got := settings(text + "\n[zz]\n" + key + " = \"" + value + "\"\n")["zz."+key]; got != value {
				t.Errorf("%q came back as %q behind %q", value, got, text)
			}
		}
	})
}

// TestIndexThatUnfoldsIsRefused: a version 4 index in which each entry repeats a long path is damage, not terabytes.
func TestIndexThatUnfoldsIsRefused(t *testing.T) {
	t.Parallel()
	const count = 20_000
	data := []byte("DIRC\x00\x00\x00\x04")
	data = binary.BigEndian.AppendUint32(data, count)
	for i := range count {
		data = append(data, make([]byte, 62)...)
		data = append(data, 0) // nothing of the path before is dropped
		if i == 0 {
			data = append(data, strings.Repeat("a", 1<<20)...)
		}
		data = append(data, 0)
	}
	data = append(data, make([]byte, 20)...)
	if names, _, err := parseIndex(data, 20); err == nil {
		t.Errorf("%d paths", len(names))
	}
}

// TestHostilePatternEnds: a pattern made to take exponential time is given up.
func TestHostilePatternEnds(t *testing.T) {
	t.Parallel()
	if wildmatch(strings.Repeat("**/a/", 30)+"b", strings.Repeat("a/", 60)+"c", true, false) {
		t.Error("it matches")
	}
}

// TestGitConfigKeys: values are read as git reads them.
func TestGitConfigKeys(t *testing.T) {
	t.Parallel()
	text := "# c\n[core]\n\texcludesFile = ~/my\\\"ignore # note\n ignorecase\n[Core] bare=yes ; c\n[remote \"x\"] url = a\n[core]\n\tq = \" a # b \" c  \n long = one \\\n two\n"
	file := filepath.Join(t.TempDir(), "config")
	must(t, os.WriteFile(file, []byte(text), 0o644))
	got := settings(text)
	for _, key := range []string{"core.excludesfile", "core.bare", "core.q", "core.long"} {
		if want := strings.TrimSuffix(git(t, ".", "config", "-f", file, "--get", key), "\n"); got[key] != want {
			t.Errorf("%s = %q, git says %q", key, got[key], want)
		}
	}
	if !configBool(got["core.ignorecase"]) {
		t.Error("a key alone is not true")
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
