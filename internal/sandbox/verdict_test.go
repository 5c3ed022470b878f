//go:build unix

package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/contextd/contextd/internal/code"
)

// reasons maps a path to the reason that leaves it out, "" for none.
func checkReasons(t *testing.T, r *Root, want map[string]code.Reason) {
	t.Helper()
	for path, reason := range want {
		if got := r.Why(t.Context(), path); got.Reason != reason || got.Reason != "" && got.Detail == "" {
			t.Errorf("Why(%q) = %q (%s), want %q", path, got.Reason, got.Detail, reason)
		}
	}
}

// agree holds a walk against Check on every file below the root, and against WalkPaths on every path.
func agree(t *testing.T, r *Root) {
	t.Helper()
	tree := walk(t, r)
	counted := map[string]bool{}
	for _, f := range tree.Files {
		counted[f.Path] = true
	}
	var all []string
	must(t, filepath.Walk(r.Path(), func(name string, info os.FileInfo, err error) error {
		if rel, ok := r.Rel(name); ok && err == nil && !info.IsDir() {
			all = append(all, rel)
		}
		return nil
	}))
	for _, path := range all {
		f, skip := r.Check(path)
		if counted[path] != (skip.Reason == "") {
			t.Errorf("Check(%q) = %+v, in the walk: %v", path, skip, counted[path])
		}
		one, err := r.WalkPaths(t.Context(), []string{path})
		must(t, err)
		switch {
		case counted[path] && (len(one.Files) != 1 || one.Files[0] != f):
			t.Errorf("WalkPaths(%q) = %+v, want %+v", path, one, f)
		case !counted[path] && (len(one.Files) != 0 || len(one.Skipped) != 1 || one.Skipped[0] != skip):
			t.Errorf("WalkPaths(%q) = %+v, want %+v", path, one, skip)
		}
	}
	for _, s := range tree.Skipped {
		if s.Dir {
			if _, got := r.Check(s.Path); got != s {
				t.Errorf("Check(%q) = %+v, the walk says %+v", s.Path, got, s)
			}
		}
	}
	again, err := r.WalkPaths(t.Context(), []string{""})
	must(t, err)
	if !slices.Equal(again.Files, tree.Files) || !slices.Equal(again.Skipped, tree.Skipped) {
		t.Errorf("WalkPaths of the root differs from Walk")
	}
}

// TestPathAttacks: links out of the root, loops, pipes and sockets are refused with a reason, and nothing hangs.
func TestPathAttacks(t *testing.T) {
	t.Parallel()
	outside := write(t, t.TempDir(), map[string]string{"vault.py": "x\n"})
	root := write(t, t.TempDir(), map[string]string{"berth/assign.go": "package berth\n"})
	for link, target := range map[string]string{"link.py": outside + "/vault.py", "inner.py": "berth/assign.go", "linkdir": outside,
		"relative.py": "../" + filepath.Base(filepath.Dir(outside)) + "/vault.py", "loop": ".", "ring1": "ring2", "ring2": "ring1",
		"zero.py": "/dev/zero", "round": root + "/berth", "via": "loop/loop/linkdir/vault.py", "up": "berth/../..", "dangling": "no/such",
		"berth/back": "../inner.py"} {
		must(t, os.Symlink(target, filepath.Join(root, link)))
	}
	must(t, syscall.Mkfifo(filepath.Join(root, "pipe.py"), 0o644))
	r := open(t, root)
	want := map[string]code.Reason{"berth/assign.go": "", "./berth/assign.go": "", root + "/berth/assign.go": "", "berth//x/../assign.go": ""}
	for reason, list := range map[code.Reason][]string{
		code.OutsideRoot: {"link.py", "linkdir", "linkdir/vault.py", "relative.py", "zero.py", "../outside/vault.py", outside + "/vault.py",
			"berth/../../outside/vault.py", "/", "..", "/etc/passwd", "via", "up", "up/x"},
		code.NotRegular: {"pipe.py", "ring1", "loop", "inner.py", "loop/berth/assign.go", "round", "round/assign.go", "dangling", "berth/back",
			"", ".", "berth", "loop/linkdir"},
		code.Missing: {"no/such.py", "berth/none", "berth/assign.go/x", "nul\x00byte", strings.Repeat("a/", 3000) + "x"},
	} {
		for _, path := range list {
			want[path] = reason
			if _, _, err := r.Read(path); reason != "" {
				re, ok := err.(*ReadError)
				if !ok || re.Reason != reason || !strings.HasPrefix(err.Error(), "read ") {
					t.Errorf("Read(%q) = %v, want %s", path, err, reason)
				}
			}
		}
	}
	checkReasons(t, r, want)
	if got := paths(walk(t, r)); !slices.Equal(got, []string{"berth/assign.go"}) {
		t.Errorf("walk = %q", got)
	}
	agree(t, r)
}

// TestReposInside: other repositories obey their own rules, second working trees of one repository are left out, git's
// own files are vcs.
func TestReposInside(t *testing.T) {
	t.Parallel()
	root := write(t, t.TempDir(), map[string]string{".gitignore": "outer.py\n/hidden/\n", "main.go": "package x\n"})
	git(t, root, "init", "-q")
	git(t, root, "add", "-A")
	git(t, root, "commit", "-qm", "x")
	write(t, root, map[string]string{"nested/outer.py": "x\n", "nested/own.py": "x\n", "nested/.gitignore": "own.py\n", "hidden/repo/a.py": "x\n"})
	git(t, filepath.Join(root, "nested"), "init", "-q")
	git(t, filepath.Join(root, "nested"), "add", "-A")
	git(t, filepath.Join(root, "nested"), "commit", "-qm", "x")
	git(t, filepath.Join(root, "nested"), "worktree", "add", "-q", "-b", "t2", filepath.Join(root, "nested-topic"))
	git(t, filepath.Join(root, "hidden/repo"), "init", "-q")
	git(t, root, "worktree", "add", "-q", "-b", "topic", filepath.Join(root, ".trees/topic"))
	git(t, root, "worktree", "add", "-q", "-b", "hid", filepath.Join(root, "hidden/wt"))
	git(t, root, "init", "-q", "--bare", "mirror.git")
	sub := write(t, t.TempDir(), map[string]string{"lib.py": "x\n", "outer.py": "x\n"})
	git(t, sub, "init", "-q")
	git(t, sub, "add", "-A")
	git(t, sub, "commit", "-qm", "x")
	git(t, root, "submodule", "-q", "add", sub, "dist")
	r := open(t, root)
	checkReasons(t, r, map[string]code.Reason{".trees/topic/main.go": code.Worktree, "nested/own.py": code.Ignored, ".git/config": code.VCS,
		"nested/.git/HEAD": code.VCS, "mirror.git/HEAD": code.VCS, "nested/outer.py": "", "dist/outer.py": "", "dist/.git": code.VCS,
		"hidden/repo/a.py": code.Ignored, "hidden/wt/main.go": code.Worktree, "nested-topic/outer.py": code.Worktree})
	tree := walk(t, r)
	want := []string{".gitignore", ".gitmodules", "dist/lib.py", "dist/outer.py", "main.go", "nested/.gitignore", "nested/outer.py"}
	if got := paths(tree); !slices.Equal(got, want) {
		t.Errorf("walk = %q, want %q", got, want)
	}
	wantSkips := []string{"ignored hidden/", "ignored nested/own.py", "vcs .git/", "vcs dist/.git", "vcs mirror.git/", "vcs nested/.git/",
		"worktree .trees/topic/", "worktree nested-topic/"}
	if got := skips(tree); !slices.Equal(got, wantSkips) {
		t.Errorf("skipped = %q, want %q", got, wantSkips)
	}
	agree(t, r)

	// A linked working tree as the root: the repository's other ones inside of it are left out, its own files count.
	topic := open(t, filepath.Join(root, ".trees/topic"))
	git(t, root, "worktree", "add", "-q", "-b", "deep", filepath.Join(root, ".trees/topic/deep"))
	checkReasons(t, topic, map[string]code.Reason{"main.go": "", "deep/main.go": code.Worktree, ".git": code.VCS})
	write(t, root, map[string]string{".git/info/exclude": "excluded.py\n", ".trees/topic/excluded.py": "x\n"})
	checkReasons(t, topic, map[string]code.Reason{"excluded.py": code.Ignored})
	agree(t, topic)
}

// TestBareWithWorktrees: the working trees of a bare repository in the root all count; there is no other checkout.
func TestBareWithWorktrees(t *testing.T) {
	t.Parallel()
	seed := write(t, t.TempDir(), map[string]string{"a.go": "package a\n"})
	git(t, seed, "init", "-q")
	git(t, seed, "add", "-A")
	git(t, seed, "commit", "-qm", "x")
	root := t.TempDir()
	git(t, root, "clone", "-q", "--bare", seed, filepath.Join(root, ".bare"))
	write(t, root, map[string]string{".git": "gitdir: ./.bare\n"})
	git(t, filepath.Join(root, ".bare"), "worktree", "add", "-q", "-b", "one", filepath.Join(root, "one"))
	git(t, filepath.Join(root, ".bare"), "worktree", "add", "-q", "-b", "two", filepath.Join(root, "two"))
	r := open(t, root)
	if got := paths(walk(t, r)); !slices.Equal(got, []string{"one/a.go", "two/a.go"}) {
		t.Errorf("walk = %q, skipped %q", got, skips(walk(t, r)))
	}
	agree(t, r)
}

// Working trees that agents were given side by side are roots of their own: a root around them has none of their files,
// whether their repository may be read or not.
func TestWorktreesOfARepositoryElsewhereAreLeftOut(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	seed := write(t, filepath.Join(base, "seed"), map[string]string{"a.go": "package a\n"})
	git(t, seed, "init", "-q")
	git(t, seed, "add", "-A")
	git(t, seed, "commit", "-qm", "x")
	root := write(t, filepath.Join(base, "agents"), map[string]string{"notes.md": "x\n", "odd/.git": "gitdir: nowhere\n", "odd/b.go": "package b\n"})
	git(t, seed, "worktree", "add", "-q", "-b", "one", filepath.Join(root, "one"))
	git(t, seed, "worktree", "add", "-q", "-b", "two", filepath.Join(root, "deep/two"))
	for name, allowed := range map[string]*Allowed{"readable": nil, "not allowed": Allow([]string{root})} {
		r, err := Open(root, Options{Allowed: allowed})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if got := paths(walk(t, r)); !slices.Equal(got, []string{"notes.md", "odd/b.go"}) {
			t.Errorf("%s: walk = %q", name, got)
		}
		if got := skips(walk(t, r)); !slices.Contains(got, "worktree one/") || !slices.Contains(got, "worktree deep/two/") {
			t.Errorf("%s: skipped %q", name, got)
		}
		checkReasons(t, r, map[string]code.Reason{"one/a.go": code.Worktree, "deep/two/a.go": code.Worktree, "odd/b.go": ""})
		agree(t, r)
	}
	if got := paths(walk(t, open(t, filepath.Join(root, "one")))); !slices.Equal(got, []string{"a.go"}) {
		t.Errorf("the working tree itself: walk = %q", got)
	}
}

// TestRulesAboveTheRoot: ignore files above the root and the repository's exclude file hold in it, unless they ignore
// the root as a whole.
func TestRulesAboveTheRoot(t *testing.T) {
	t.Parallel()
	top := write(t, t.TempDir(), map[string]string{".gitignore": "any.py\n/mid/sub/one.py\nsub/*.tmp.py\n/lost/\n", "mid/.gitignore": "two.py\n!any.py\n"})
	git(t, top, "init", "-q")
	write(t, top, map[string]string{".git/info/exclude": "three.py\n", "lost/dir/any.py": "x\n", "lost/dir/.gitignore": "own.py\n", "lost/dir/own.py": "x\n"})
	for _, name := range []string{"any", "one", "two", "three", "free", "tracked"} {
		write(t, top, map[string]string{"mid/sub/" + name + ".py": "x\n"})
	}
	git(t, top, "add", "-f", "mid/sub/tracked.py")
	write(t, top, map[string]string{"mid/sub/.gitignore": "tracked.py\n"})
	r := open(t, filepath.Join(top, "mid/sub"))
	checkReasons(t, r, map[string]code.Reason{"any.py": "", "one.py": code.Ignored, "two.py": code.Ignored, "three.py": code.Ignored,
		"free.py": "", "tracked.py": ""})
	agree(t, r)
	lost := open(t, filepath.Join(top, "lost/dir"))
	checkReasons(t, lost, map[string]code.Reason{"any.py": "", "own.py": code.Ignored})
	agree(t, lost)
}

// TestTrackedIsNeverIgnored: what git tracks counts whatever the rules say, in an ignored folder too.
func TestTrackedIsNeverIgnored(t *testing.T) {
	t.Parallel()
	root := write(t, t.TempDir(), map[string]string{"kept.py": "x\n", "logs/kept.py": "x\n", "logs/deep/er/kept.py": "x\n", "build/kept.js": "x\n"})
	git(t, root, "init", "-q")
	git(t, root, "add", "-A")
	write(t, root, map[string]string{"loose.py": "x\n", "logs/loose.py": "x\n", "logs/empty/loose.py": "x\n", "logs/deep/loose.py": "x\n",
		"build/loose.js": "x\n", "dist/x.js": "x\n", ".gitignore": "kept.py\nloose.py\nlogs/\n"})
	r := open(t, root)
	tree := walk(t, r)
	if got := paths(tree); !slices.Equal(got, []string{".gitignore", "build/kept.js", "build/loose.js", "kept.py", "logs/deep/er/kept.py", "logs/kept.py"}) {
		t.Errorf("walk = %q", got)
	}
	if got := skips(tree); !slices.Equal(got, []string{"build_output dist/", "ignored logs/deep/loose.py", "ignored logs/empty/", "ignored logs/loose.py",
		"ignored loose.py", "vcs .git/"}) {
		t.Errorf("skipped = %q", got)
	}
	agree(t, r)
}

// TestOwnIgnoreFile: .contextdignore leaves out on top of git's rules, tracked files too, and its "!" lifts the others.
func TestOwnIgnoreFile(t *testing.T) {
	t.Parallel()
	key := "AKIA" + strings.Repeat("QZJ7XKPW", 2)
	root := write(t, t.TempDir(), map[string]string{"tracked.py": "x\n"})
	git(t, root, "init", "-q")
	git(t, root, "add", "-A")
	write(t, root, map[string]string{
		".gitignore":      "scratch/\nnode_modules/\n*.gen\n",
		".contextdignore": "tracked.py\n!scratch/keep/\n!node_modules/ours/\n!*.gen\n!.env\n!yarn.lock\n!dist/\n!gen.go\n!key.py\n!wt/\n",
		".cursorignore":   "cursor.py\n*.md\n!a.md\n!id_rsa\n",
		".aiderignore":    "a.md\n",
		"scratch/no.py":   "x\n", "scratch/keep/yes.py": "x\n", "scratch/keep/deep/yes.py": "x\n",
		"node_modules/ours/a.js": "x\n", "node_modules/theirs/a.js": "x\n", "node_modules/a.js": "x\n",
		"x.gen": "x\n", ".env": "A=b\n", "yarn.lock": "x\n", "dist/a.js": "x\n", "dist/.env.local": "x\n",
		"gen.go": "// Code generated by x. DO NOT EDIT.\n\npackage x\n", "gen2.go": "// Code generated by x. DO NOT EDIT.\n\npackage x\n",
		"key.py": "k = '" + key + "'\n", "cursor.py": "x\n", "a.md": "x\n", "b.md": "x\n", "id_rsa": "x\n",
	})
	r := open(t, root)
	checkReasons(t, r, map[string]code.Reason{"tracked.py": code.Ignored, "scratch/no.py": code.Ignored, "scratch/keep/yes.py": "",
		"scratch/keep/deep/yes.py": "", "node_modules/ours/a.js": "", "node_modules/theirs/a.js": code.Ignored, "node_modules/a.js": code.Ignored,
		"x.gen": "", ".env": "", "yarn.lock": "", "dist/a.js": "", "dist/.env.local": code.SecretName, "gen.go": "", "gen2.go": code.Generated,
		"key.py": code.SecretContent, "cursor.py": code.Ignored, "a.md": code.Ignored, "b.md": code.Ignored, "id_rsa": code.SecretName})
	if got := r.Why(t.Context(), "tracked.py").Detail; got != `rule "tracked.py" at .contextdignore:1` {
		t.Errorf("Detail = %s", got)
	}
	agree(t, r)
}
