package sandbox

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/gitfile"
	"github.com/contextd/contextd/internal/ignore"
)

// allocated is how many bytes f allocates. Tests that use it are not parallel: the figure is of the whole process.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestGitFilesCostLinearMemory: four times as large a file that is made to cost much costs about four times the memory.
func TestGitFilesCostLinearMemory(t *testing.T) {
	const n = 1 << 18 // bytes of the smaller file
	tests := map[string]func(n int) func(){
		"config: many keys in a section with a long name": func(n int) func() {
			data := []byte("[" + strings.Repeat("s", n/2) + "]\n" + strings.Repeat("k=1\n", n/8))
			return func() { gitfile.Config(data) }
		},
		"config: many keys in a long subsection": func(n int) func() {
			data := []byte("[core \"" + strings.Repeat("s", n/2) + "\"]\n" + strings.Repeat("k=1\n", n/8))
			return func() { gitfile.Config(data) }
		},
		"config: many different keys": func(n int) func() {
			var b bytes.Buffer
			b.WriteString("[core]\n")
			for i := 0; b.Len() < n; i++ {
				fmt.Fprintf(&b, "k%d=1\n", i)
			}
			return func() { gitfile.Config(b.Bytes()) }
		},
		"config: sections without an end": func(n int) func() {
			data := []byte(strings.Repeat("[\"", n/2))
			return func() { gitfile.Config(data) }
		},
		"index of version 4": func(n int) func() {
			count := n / 128
			data := binary.BigEndian.AppendUint32([]byte("DIRC\x00\x00\x00\x04"), uint32(count))
			for i := range count {
				data = append(append(data, make([]byte, 62)...), 0)
				data = append(append(data, strings.Repeat(string(rune('a'+i%26)), 64)...), 0)
			}
			data = append(data, make([]byte, 20)...)
			return func() { _, _, _ = gitfile.ParseIndex(data, 20) }
		},
		"packed references": func(n int) func() {
			dir := write(t, t.TempDir(), map[string]string{"HEAD": "ref: refs/heads/none\n",
				"packed-refs": strings.Repeat(strings.Repeat("a", 40)+" refs/heads/x\n", n/54)})
			return func() { (&repo{gitDir: dir, commonDir: dir, hashLen: 20}).head() }
		},
		"HEAD of a long name": func(n int) func() {
			dir := write(t, t.TempDir(), map[string]string{"HEAD": "ref: refs/" + strings.Repeat("x/", n/2), "packed-refs": "x\n"})
			return func() { (&repo{gitDir: dir, commonDir: dir, hashLen: 20}).head() }
		},
		"rules of an ignore file": func(n int) func() {
			data := []byte(strings.Repeat("a?\n", n/3))
			return func() { ignore.Compile(data, false) }
		},
		"empty lines of an ignore file": func(n int) func() {
			data := bytes.Repeat([]byte{'\n'}, n)
			return func() { ignore.Compile(data, false) }
		},
	}
	for name, made := range tests {
		small, large := allocated(made(n)), allocated(made(4*n))
		if large > 6*max(small, 1<<16) || large > 400*n {
			t.Errorf("%s: %d bytes allocated for %d, %d for %d", name, small, n, large, 4*n)
		}
	}
}

// TestGitConfigOfManyKeysKeepsOnlyItsOwn: nothing but what decides on files stays in memory.
func TestGitConfigOfManyKeysKeepsOnlyItsOwn(t *testing.T) {
	t.Parallel()
	text := "[core]\n" + strings.Repeat("bare = true\nother = x\n", 1000) + "[x]\nexcludesFile = no\n[core \"sub\"]\nexcludesFile = no\n[core]\nexcludesFile = yes\n"
	got := gitfile.Config([]byte(text))
	if len(got) != 2 || got["core.excludesfile"] != "yes" || got["core.bare"] != "true" {
		t.Errorf("gitConfig = %q", got)
	}
}

// TestIncludedExcludesEqualGit: the excludes file of a repository's own configuration, and of files that it or the
// user's includes, decides as in git, and the default one is not used then. Not parallel: it sets the environment.
func TestIncludedExcludesEqualGit(t *testing.T) {
	abs := filepath.ToSlash
	for name, test := range map[string]struct{ own, user string }{
		"own":                      {"[core]\nexcludesFile = ROOT/.git/mine\n", ""},
		"own, relative":            {"[core]\nexcludesFile = .git/mine\n", ""},
		"own, of the home folder":  {"[core]\nexcludesFile = ~/two\n", ""},
		"own, before the user's":   {"[core]\nexcludesFile = .git/mine\n", "[core]\nexcludesFile = ~/two\n"},
		"own, empty":               {"[core]\nexcludesFile =\n", ""},
		"included":                 {"[include]\npath = more\n", ""},
		"included by the user":     {"", "[include]\npath = work\n"},
		"if below a folder":        {"", "[includeIf \"gitdir:ROOT/\"]\npath = ~/work\n"},
		"if below another":         {"", "[includeIf \"gitdir:ROOT-not/\"]\npath = ~/work\n"},
		"if of a name":             {"", "[includeIf \"gitdir:proj/\"]\npath = work\n"},
		"if in either case":        {"", "[includeIf \"gitdir/i:PROJ/.GIT\"]\npath = work\n"},
		"if of a pattern":          {"", "[includeIf \"gitdir:**/p*j/**\"]\npath = work\n"},
		"the last one counts":      {"[include]\npath = more\n[core]\nexcludesFile = ~/two\n", ""},
		"a later include counts":   {"[core]\nexcludesFile = ~/two\n[include]\npath = more\n", ""},
		"an unknown condition":     {"[includeIf \"onbranch:none\"]\npath = more\n", ""},
		"a file includes itself":   {"[core]\nexcludesFile = ~/two\n[include]\npath = missing\n", ""},
		"a chain of three":         {"[include]\npath = chain1\n", ""},
		"a path that git quotes":   {"[includeIf \"gitdir:**/pro]j/**\"]\npath = more\n", ""},
		"a bare includeIf is none": {"[includeIf]\npath = more\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			root := filepath.Join(home, "src", "proj")
			write(t, root, map[string]string{"a.one": "x\n", "b.two": "x\n", "c.three": "x\n", "d.four": "x\n"})
			git(t, root, "init", "-q")
			set := func(text string) string { return strings.ReplaceAll(text, "ROOT", abs(root)) }
			write(t, root, map[string]string{".git/mine": "*.three\n", ".git/four": "*.four\n", ".git/more": "[core]\nexcludesFile = .git/four\n",
				".git/chain1": "[include]\npath = chain2\n", ".git/chain2": "[include]\npath = more\n"})
			write(t, home, map[string]string{".config/git/ignore": "*.one\n", "two": "*.two\n", "work": "[core]\nexcludesFile = ~/two\n", ".gitconfig": set(test.user)})
			appendTo(t, filepath.Join(root, ".git", "config"), set(test.own))
			t.Setenv("HOME", home)
			t.Setenv("XDG_CONFIG_HOME", "")
			want := lines0(git(t, root, "ls-files", "-z", "-o", "--exclude-standard"))
			if got := paths(walk(t, open(t, root))); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("walk = %q, git says %q", got, want)
			}
		})
	}
}

// TestForeignExcludesStayInAllowedPlaces: a repository's configuration cannot have a file of the system or a secret one
// read as rules, and rules of a file outside of the root are not told. Not parallel: it sets the environment.
func TestForeignExcludesStayInAllowedPlaces(t *testing.T) {
	home, elsewhere := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	write(t, elsewhere, map[string]string{"rules": "hidden*\n", "config": "[core]\nexcludesFile = ~/mine\n"})
	write(t, home, map[string]string{".ssh/id_rsa": "hidden*\n", "mine": "hidden*\n", ".gitconfig": ""})
	for name, test := range map[string]struct {
		config string
		want   string // the Detail of the file, "" if nothing leaves it out
	}{
		"elsewhere":          {"[core]\nexcludesFile = " + filepath.ToSlash(elsewhere) + "/rules\n", ""},
		"a secret":           {"[core]\nexcludesFile = ~/.ssh/id_rsa\n", ""},
		"included elsewhere": {"[include]\npath = " + filepath.ToSlash(elsewhere) + "/config\n", ""},
		"of the user":        {"[core]\nexcludesFile = ~/mine\n", "the rule at " + filepath.Join(home, "mine") + ":1"},
	} {
		t.Run(name, func(t *testing.T) {
			root := write(t, t.TempDir(), map[string]string{"hidden.go": "x\n"})
			git(t, root, "init", "-q")
			appendTo(t, filepath.Join(root, ".git", "config"), test.config)
			r := open(t, root)
			if s := r.Why(t.Context(), "hidden.go"); s.Detail != test.want {
				t.Errorf("Why = %+v", s)
			}
			if warned := len(walk(t, r).Warnings) > 0; warned != (test.want == "") {
				t.Errorf("warned: %v", warned)
			}
		})
	}
}
