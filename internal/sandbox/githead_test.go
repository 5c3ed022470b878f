package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestHeadEqualsGit(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
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
		check := func(what, at, prefix string) {
			t.Helper()
			r, err := FindRepository(filepath.Join(dir, at))
			if err != nil || r.Head != git("-C", filepath.Join(dir, at), "rev-parse", "HEAD") || r.Prefix != prefix || r.SHA256 != (format == "sha256") {
				t.Errorf("%s, %s: %+v, %v", format, what, r, err)
			}
		}
		git("init", "-q", "-b", "main", "--object-format="+format)
		if _, err := FindRepository(dir); !errors.Is(err, ErrNoRepository) {
			t.Errorf("before the first commit: %v", err)
		}
		git("commit", "-q", "--allow-empty", "-m", "one")
		check("a loose reference", "", "")
		if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700); err != nil {
			t.Fatal(err)
		}
		check("a folder below", "a/b", "a/b")
		git("worktree", "add", "-q", "-b", "topic/x", "wt")
		git("-C", "wt", "commit", "-q", "--allow-empty", "-m", "two")
		check("a linked worktree", "wt", "")
		git("pack-refs", "--all")
		check("packed references", "", "")
		check("packed references of a linked worktree", "wt", "")
		git("checkout", "-q", "--detach")
		check("no branch", "", "")
	}
}

func TestAnOddHeadIsNone(t *testing.T) {
	t.Parallel()
	for _, head := range []string{"", "ref: ../../etc/passwd", "ref: refs/../../x", "ref: /refs/x", "ref: refs/heads/gone", "0123", strings.Repeat("g", 40), "ref: x"} {
		dir := t.TempDir()
		for _, d := range []string{".git/objects", ".git/refs"} {
			if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, ".git/HEAD"), []byte(head), 0o600); err != nil {
			t.Fatal(err)
		}
		if r, err := FindRepository(dir); !errors.Is(err, ErrNoRepository) {
			t.Errorf("HEAD %q: %+v, %v", head, r, err)
		}
	}
}
