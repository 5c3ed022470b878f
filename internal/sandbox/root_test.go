//go:build unix

package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
)

// TestOpen: a root may be a link; what is no folder is an error that says so.
func TestOpen(t *testing.T) {
	t.Parallel()
	dir := write(t, t.TempDir(), map[string]string{"real/a.go": "x\n", "file": "x"})
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	must(t, os.Symlink("real", link))
	r := open(t, link)
	if r.Path() != real {
		t.Errorf("Path = %q, want %q", r.Path(), real)
	}
	for _, path := range []string{"a.go", filepath.Join(real, "a.go"), filepath.Join(link, "a.go")} {
		if f, skip := r.Check(path); skip.Reason != "" || f.Path != "a.go" {
			t.Errorf("Check(%q) = %+v, %+v", path, f, skip)
		}
	}
	for name, want := range map[string]error{"none": ErrMissing, "file": ErrNotDirectory, "file/x": ErrMissing} {
		_, err := Open(filepath.Join(dir, name), Options{})
		if !errors.Is(err, want) || !strings.HasPrefix(err.Error(), `open root "`) {
			t.Errorf("Open(%q) = %v, want %v", name, err, want)
		}
	}
	if _, err := Open(dir, Options{MaxFileBytes: -1}); err == nil {
		t.Error("no error for a negative limit")
	}
}

// TestUnreadable: what may not be read is named, the rest counts.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	root := write(t, t.TempDir(), map[string]string{"shut/a.go": "x\n", "file.go": "x\n", "ok.go": "x\n"})
	must(t, os.Chmod(filepath.Join(root, "shut"), 0))
	must(t, os.Chmod(filepath.Join(root, "file.go"), 0))
	defer os.Chmod(filepath.Join(root, "shut"), 0o755)
	r := open(t, root)
	tree := walk(t, r)
	if os.Geteuid() == 0 { // root reads everything: then all of it counts
		if len(tree.Files) != 3 {
			t.Errorf("walk = %q", paths(tree))
		}
		return
	}
	if got := skips(tree); !slices.Equal(got, []string{"unreadable shut/"}) {
		t.Errorf("skipped = %q", got)
	}
	for _, path := range []string{"shut", "shut/a.go", "file.go"} {
		if got := r.Why(t.Context(), path); got.Reason != code.Unreadable {
			t.Errorf("Why(%q) = %+v", path, got)
		}
	}
}

// TestConfine: a root must be inside of an allowed one once links and dots are resolved.
func TestConfine(t *testing.T) {
	t.Parallel()
	dir := write(t, t.TempDir(), map[string]string{"srv/web/a.go": "x\n", "srv/file": "x", "other/x": "x", "srv2/x": "x"})
	at := func(name string) string { return dir + "/" + name }
	for link, target := range map[string]string{"srv/out": at("other"), "srv/in": "web", "alias": "srv", "srv/broken": at("other/none")} {
		must(t, os.Symlink(target, at(link)))
	}
	allowed := []string{at("none"), at("srv"), "relative"}
	for name, want := range map[string]error{"srv": nil, "srv/web": nil, "srv/in": nil, "alias/web": nil, "srv/web/../web": nil, "srv/web/": nil,
		"other": ErrNotAllowed, "srv/../other": ErrNotAllowed, "srv/out": ErrNotAllowed, "srv/out/x": ErrNotAllowed, "srv2": ErrNotAllowed,
		"srv/none": ErrMissing, "srv/none/deep": ErrMissing, "other/none": ErrNotAllowed, "srv/out/none": ErrNotAllowed, "none": ErrMissing,
		"srv/file": ErrNotDirectory, "": ErrNotAllowed, "srv/..": ErrNotAllowed, "srv/web/../../..": ErrNotAllowed} {
		real, err := Confine(at(name), allowed)
		if want == nil && (err != nil || !strings.HasPrefix(real, at("srv"))) || want != nil && !errors.Is(err, want) {
			t.Errorf("Confine(%q) = %q, %v, want %v", name, real, err, want)
		}
	}
	for _, bad := range []string{"/", "srv", "", "../srv", "."} {
		if _, err := Confine(bad, allowed); !errors.Is(err, ErrNotAllowed) {
			t.Errorf("Confine(%q) = %v", bad, err)
		}
	}
	if _, err := Confine(at("srv/broken"), allowed); err == nil {
		t.Error("a link to nothing was let in")
	}
	if _, err := Confine(at("srv"), nil); !errors.Is(err, ErrNotAllowed) {
		t.Errorf("without allowed roots: %v", err)
	}
}

// TestOwnStateIsNeverEntered: contextd's own folders do not count, also when a rule would let them in.
func TestOwnStateIsNeverEntered(t *testing.T) {
	t.Parallel()
	root := write(t, t.TempDir(), map[string]string{"state/x.go": "x\n", "a.go": "x\n", ownFile: "!state/\n!state/x.go\n"})
	r := open(t, root, Options{Exclude: []string{filepath.Join(root, "state")}})
	if got := paths(walk(t, r)); !slices.Equal(got, []string{ownFile, "a.go"}) {
		t.Errorf("walk = %q", got)
	}
	if got := r.Why(t.Context(), "state/x.go"); got.Reason != code.Ignored || got.Detail != ownState {
		t.Errorf("Why = %+v", got)
	}
	agree(t, r)
}

// TestWalkPaths: files, folders and gaps, each path once, as a whole walk would give them.
func TestWalkPaths(t *testing.T) {
	t.Parallel()
	root := write(t, t.TempDir(), map[string]string{".gitignore": "hid/\n*.log\n", "a.go": "x\n", "dir/b.go": "x\n", "dir/sub/c.go": "x\n", "dir/x.log": "x\n",
		"dir-2/d.go": "x\n", "hid/e.go": "x\n", "dist/f.js": "x\n"})
	r := open(t, root)
	tree, err := r.WalkPaths(t.Context(), []string{"dir/sub", "a.go", "dir", "./dir/b.go", "dir-2", "hid/e.go", "hid", "none.go", "../x", "dir/none", "dist", "a.go", "dir/x.log"})
	must(t, err)
	if got := paths(tree); !slices.Equal(got, []string{"a.go", "dir-2/d.go", "dir/b.go", "dir/sub/c.go"}) {
		t.Errorf("files = %q", got)
	}
	if got := skips(tree); !slices.Equal(got, []string{"build_output dist/", "ignored dir/x.log", "ignored hid/", "ignored hid/e.go", "missing none.go",
		"outside_root ../x"}) {
		t.Errorf("skipped = %q", got)
	}
}
