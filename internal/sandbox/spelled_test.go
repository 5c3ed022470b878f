package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
)

// folding is a prober whose file system finds files in any letters, and accents in either form, as macOS does.
func folding(t *testing.T, r *Root) *prober {
	t.Helper()
	p := r.newProber()
	fold := func(s string) string { return strings.ReplaceAll(strings.ToLower(s), "e\u0301", "\u00e9") }
	p.lstat = func(rel string) (File, form, error) {
		at := ""
		for name := range strings.SplitSeq(rel, "/") {
			found, err := os.ReadDir(filepath.Join(r.path, at))
			if err != nil {
				return File{}, 0, err
			}
			i := slices.IndexFunc(found, func(e os.DirEntry) bool { return fold(e.Name()) == fold(name) })
			if i < 0 {
				return File{}, 0, os.ErrNotExist
			}
			at = filepath.ToSlash(filepath.Join(at, found[i].Name()))
		}
		f, form, err := r.lstat(at)
		f.Path = rel
		return f, form, err
	}
	return p
}

func TestANameInOtherLettersIsNoFileWhereTheyFindOne(t *testing.T) {
	t.Parallel()
	root := write(t, t.TempDir(), map[string]string{"src/main.go": "package main\n", "src/caf\u00e9.go": "package main\n",
		".gitignore": "/hidden/\n", "hidden/key.go": "package key\n", "123": "one\n"})
	r, err := Open(root, Options{})
	must(t, err)
	defer r.Close()
	p := folding(t, r)
	for path, want := range map[string]code.Reason{
		"src/main.go": "", "src/caf\u00e9.go": "", "123": "", "hidden/key.go": code.Ignored,
		"SRC/main.go": code.Missing, "src/Main.go": code.Missing, "src/cafe\u0301.go": code.Missing,
		"HIDDEN/key.go": code.Missing, "hidden/KEY.go": code.Missing, "SRC": code.Missing, "nothing": code.Missing,
	} {
		if _, skip := p.check(path); skip.Reason != want {
			t.Errorf("%s: %q (%s), want %q", path, skip.Reason, skip.Detail, want)
		}
	}
}

// A file that was renamed in letters alone: its old name has to leave the index.
func TestARenameInLettersAloneLosesTheOldName(t *testing.T) {
	t.Parallel()
	r, err := Open(write(t, t.TempDir(), map[string]string{"src/Main.go": "package main\n"}), Options{})
	must(t, err)
	defer r.Close()
	p := folding(t, r)
	if _, skip := p.check("src/Main.go"); skip.Reason != "" {
		t.Fatal(skip)
	}
	must(t, os.Rename(r.Abs("src/Main.go"), r.Abs("src/aside"))) // in one step Wine renames nothing
	must(t, os.Rename(r.Abs("src/aside"), r.Abs("src/main.go")))
	p.forgetNames()
	tree, err := p.walkPaths(t.Context(), []code.Path{"src/Main.go", "src/main.go"})
	must(t, err)
	if len(tree.Files) != 1 || tree.Files[0].Path != "src/main.go" || len(tree.Skipped) != 1 || tree.Skipped[0].Reason != code.Missing {
		t.Errorf("files %v, skipped %v", tree.Files, tree.Skipped)
	}
}

// The file system of this folder, whichever it is.
func TestWhatTheSystemFindsInOtherLettersIsMissingAllTheSame(t *testing.T) {
	t.Parallel()
	r, err := Open(write(t, t.TempDir(), map[string]string{"src/main.go": "package main\n"}), Options{})
	must(t, err)
	defer r.Close()
	for _, path := range []string{"SRC/main.go", "src/MAIN.go", "src/main.go.", "src/main.go "} {
		if _, skip := r.Check(path); skip.Reason != code.Missing {
			t.Errorf("%q: %v", path, skip)
		}
	}
	if _, skip := r.Check("src/main.go"); skip.Reason != "" {
		t.Error(skip)
	}
}
