package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/contextd/contextd/internal/sandbox/sandboxtest"
)

func TestMain(m *testing.M) {
	home, err := os.MkdirTemp("", "sandbox-home-")
	if err != nil {
		panic(err)
	}
	os.Setenv("HOME", home)
	os.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	os.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	os.Unsetenv("GIT_CONFIG_GLOBAL")
	code := m.Run()
	os.RemoveAll(home)
	if err := goleak.Find(); err != nil && code == 0 {
		os.Stderr.WriteString(err.Error() + "\n")
		code = 1
	}
	os.Exit(code)
}

func write(t testing.TB, root string, files map[string]string) string {
	t.Helper()
	return sandboxtest.Write(t, root, files)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	return sandboxtest.Git(t, dir, args...)
}

func gitInput(t testing.TB, dir, input string, args ...string) string {
	t.Helper()
	return sandboxtest.GitInput(t, dir, input, args...)
}

// gitMayFail runs git for what it leaves behind, whatever it says.
func gitMayFail(dir string, args ...string) {
	exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@t"}, args...)...).Run()
}

// lines0 splits what git prints with -z, sorted, each line once.
func lines0(out string) []string {
	all := strings.FieldsFunc(out, func(c rune) bool { return c == 0 })
	slices.Sort(all)
	return slices.Compact(all)
}

// difference names what only one of two sorted lists holds.
func difference(got, want []string) string {
	var b strings.Builder
	for _, g := range got {
		if !slices.Contains(want, g) {
			fmt.Fprintf(&b, " unwanted %q", g)
		}
	}
	for _, w := range want {
		if !slices.Contains(got, w) {
			fmt.Fprintf(&b, " missing %q", w)
		}
	}
	if b.Len() == 0 && !slices.Equal(got, want) {
		fmt.Fprintf(&b, " order %q, want %q", got, want)
	}
	return b.String()
}

func open(t testing.TB, dir string, o ...Options) *Root {
	t.Helper()
	o = append(o, Options{})
	r, err := Open(dir, o[0])
	must(t, err)
	t.Cleanup(func() { r.Close() })
	return r
}

func walk(t testing.TB, r *Root) *Tree {
	t.Helper()
	tree, err := r.Walk(t.Context())
	must(t, err)
	return tree
}

func paths(tree *Tree) []string {
	all := make([]string, len(tree.Files))
	for i, f := range tree.Files {
		all[i] = f.Path
	}
	return all
}

// skips gives "reason path" of what was left out, folders ending in "/", sorted.
func skips(tree *Tree) []string {
	var all []string
	for _, s := range tree.Skipped {
		line := string(s.Reason) + " " + s.Path
		if s.Dir {
			line += "/"
		}
		all = append(all, line)
	}
	sort.Strings(all)
	return all
}

// appendTo adds text to a file.
func appendTo(t testing.TB, name, text string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0o644)
	must(t, err)
	_, err = f.WriteString(text)
	must(t, err)
	must(t, f.Close())
}
