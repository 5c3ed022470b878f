package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestReferencesEqualGit(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	commit := func() { git("commit", "-q", "--allow-empty", "-m", "x"+git("rev-list", "--all", "--count")) }
	git("init", "-q", "-b", "main")
	commit()
	git("tag", "both")
	git("tag", "-a", "-m", "named", "v1")
	commit()
	git("branch", "both")
	git("branch", "topic/x")
	git("update-ref", "refs/remotes/origin/dev", "HEAD~1")
	git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/dev")
	commit()
	check := func(when string) {
		t.Helper()
		for _, name := range []string{"HEAD", "main", "v1", "both", "heads/both", "refs/heads/both", "topic/x", "origin", "origin/dev", "remotes/origin/dev"} {
			cmd := exec.Command("git", "rev-parse", "-q", name)
			cmd.Dir = dir
			want, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			if r, err := FindRepositoryAt(dir, nil, name); err != nil || r.Head != strings.TrimSpace(string(want)) {
				t.Errorf("%s, %q is %q, %v; git says %s", when, name, r.Head, err, want)
			}
		}
		for _, name := range []string{"", "gone", "topic", "../HEAD", "refs/../HEAD", "/refs/heads/main", "heads", "config", "index", "main\n", "ma*n"} {
			if r, err := FindRepositoryAt(dir, nil, name); err != nil || r.Head != "" {
				t.Errorf("%s, %q is %q, %v", when, name, r.Head, err)
			}
		}
	}
	check("loose")
	git("pack-refs", "--all")
	check("packed")
}

func TestReferencesThatLeadInACircleOrOutAreNone(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	hash := strings.Repeat("a", 40)
	for name, text := range map[string]string{"HEAD": "ref: refs/heads/main\n", "refs/heads/a": "ref: refs/heads/b\n", "refs/heads/b": "ref: refs/heads/a\n",
		"refs/heads/out": "ref: refs/../../hash\n", "refs/heads/abs": "ref: /hash\n", "refs/heads/config": "ref: config\n", "refs/heads/fine": hash, "../hash": hash, "objects/x": ""} {
		at := filepath.Join(dir, ".git", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"fine": hash, "a": "", "out": "", "abs": "", "config": "", "main": ""} {
		if r, err := FindRepositoryAt(dir, nil, name); err != nil || r.Head != want {
			t.Errorf("%q is %q, %v; want %q", name, r.Head, err, want)
		}
	}
}
