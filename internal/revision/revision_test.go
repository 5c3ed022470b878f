package revision

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/githist"
	"github.com/contextd/contextd/internal/sandbox"
)

// bed is a store and a repository with the tags v0, v1 … of which each has another text in gate.txt.
type bed struct {
	*Store
	t   *testing.T
	dir string // of the repository
}

func setup(t *testing.T, tags int, o Options) *bed {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o.Dir = filepath.Join(dir, "state", "revisions")
	b := &bed{New(o), t, filepath.Join(dir, "repo")}
	if err := os.Mkdir(b.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	b.git("init", "-q", "-b", "main")
	b.write(".gitignore", "*\n")
	b.write("sub/crane.txt", "The crane lifts.\n")
	for i := range tags {
		b.write("gate.txt", fmt.Sprintf("gate %d\n", i))
		b.git("add", "-f", ".")
		b.git("commit", "-q", "-m", "x")
		b.git("tag", fmt.Sprintf("v%d", i))
	}
	return b
}

func (b *bed) git(args ...string) string {
	b.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a",
		"GIT_AUTHOR_EMAIL=a@example.org",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (b *bed) write(name, text string) {
	b.t.Helper()
	at := filepath.Join(b.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bed) open(name string) *Tree {
	b.t.Helper()
	t, err := b.Open(b.t.Context(), b.dir, name)
	if err != nil {
		b.t.Fatal(err)
	}
	return t
}

// ask opens a revision as a question does, whose index takes a number of bytes, and returns the text of its gate.txt.
func (b *bed) ask(name string, index int) string {
	b.t.Helper()
	t := b.open(name)
	defer t.Close()
	text := b.text(t, "gate.txt")
	if !t.Ready() && index > 0 {
		if err := errors.Join(os.MkdirAll(t.Index(), 0o700),
			os.WriteFile(filepath.Join(t.Index(), "seg"), make([]byte, index), 0o600)); err != nil {
			b.t.Fatal(err)
		}
	}
	if err := t.Keep(); err != nil {
		b.t.Fatal(err)
	}
	return text
}

func (b *bed) text(t *Tree, name string) string {
	b.t.Helper()
	text, err := os.ReadFile(filepath.Join(t.Files(), name))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

// kept are the tags whose trees are there.
func (b *bed) kept(tags int) (out []string) {
	for i := range tags {
		name := fmt.Sprintf("v%d", i)
		tree := b.git("rev-parse", name+"^{tree}")
		if slices.ContainsFunc(b.folders(), func(dir string) bool {
			return strings.HasPrefix(filepath.Base(dir), tree)
		}) {
			out = append(out, name)
		}
	}
	return out
}

func TestRevisionIsWrittenOutOnceAndTheWorkingTreeStays(t *testing.T) {
	t.Parallel()
	b := setup(t, 2, Options{})
	b.write("gate.txt", "not committed\n")
	before := b.git("status", "--porcelain=v2")
	first := b.open("v0")
	if text := b.text(first, "gate.txt"); text != "gate 0\n" || first.Ready() ||
		first.Commit != b.git("rev-parse", "v0") {
		t.Errorf("v0 has %q, ready %t, commit %s", text, first.Ready(), first.Commit)
	}
	if err := first.Keep(); err != nil {
		t.Fatal(err)
	}
	first.Close()
	info, err := os.Stat(first.Files())
	if err != nil {
		t.Fatal(err)
	}
	b.git("tag", "same", b.git("commit-tree", "-m", "of the same files", "v0^{tree}"))
	for _, name := range []string{"v0", "same"} {
		again := b.open(name)
		now, err := os.Stat(again.Files())
		if err != nil || !again.Ready() || !os.SameFile(info, now) {
			t.Errorf("%s is another folder, or not ready: %v", name, err)
		}
		again.Close()
	}
	if after := b.git("status", "--porcelain=v2"); after != before {
		t.Errorf("the working tree was changed:\n%s\nwas\n%s", after, before)
	}
}

func TestMovedBranchIsTheNewCommit(t *testing.T) {
	t.Parallel()
	b := setup(t, 2, Options{})
	b.git("branch", "topic", "v0")
	if got := b.ask("topic", 0); got != "gate 0\n" {
		t.Errorf("before: %q", got)
	}
	b.git("branch", "-f", "topic", "v1")
	if got := b.ask("topic", 0); got != "gate 1\n" {
		t.Errorf("after: %q", got)
	}
}

func TestBadRevisionLeavesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t, 1, Options{})
	_, err := b.Open(t.Context(), b.dir, "v9")
	var bad *githist.RevisionError
	if !errors.As(err, &bad) || exists(b.opts.Dir) {
		t.Errorf("%v; the folder is there: %t", err, exists(b.opts.Dir))
	}
}

func TestEveryFileOfARevisionCountsAsTracked(t *testing.T) {
	t.Parallel()
	b := setup(t, 1, Options{})
	// A repository around the state directory ignores all of it.
	if err := errors.Join(os.MkdirAll(filepath.Join(b.opts.Dir, "..", ".git", "objects"), 0o700),
		os.MkdirAll(filepath.Join(b.opts.Dir, "..", ".git", "refs"), 0o700),
		os.WriteFile(filepath.Join(b.opts.Dir, "..", ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600),
		os.WriteFile(filepath.Join(b.opts.Dir, "..", ".gitignore"), []byte("*\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	tree := b.open("v0")
	defer tree.Close()
	root, err := sandbox.Open(tree.Files(), sandbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	walked, err := root.Walk(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []code.Path
	for _, f := range walked.Files {
		got = append(got, f.Path)
	}
	slices.Sort(got)
	if want := strings.Fields(b.git("ls-tree", "-r", "--name-only", "v0")); !slices.Equal(got, want) {
		t.Errorf("%q count, want %q", got, want)
	}
	if got, want := b.git("--git-dir="+filepath.Join(tree.Files(), ".git"), "ls-files", "-s"),
		b.git("ls-files", "-s"); got != want {
		t.Errorf("git reads the index as\n%s\nwant\n%s", got, want)
	}
}

func TestWhoeverComesSecondWaitsForTheIndex(t *testing.T) {
	t.Parallel()
	b := setup(t, 1, Options{})
	for name, keep := range map[string]bool{"made": true, "given up": false} {
		if err := os.RemoveAll(b.opts.Dir); err != nil {
			t.Fatal(err)
		}
		first := b.open("v0")
		late, end := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if _, err := New(b.opts).Open(late, b.dir, "v0"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: opened while the index is made: %v", name, err)
		}
		end()
		second := make(chan *Tree)
		go func() {
			tree, err := New(b.opts).Open(t.Context(), b.dir, "v0")
			if err != nil {
				t.Error(err)
			}
			second <- tree
		}()
		if keep {
			if err := first.Keep(); err != nil {
				t.Fatal(err)
			}
		}
		first.Close()
		if tree := <-second; tree != nil {
			if tree.Ready() != keep {
				t.Errorf("%s: ready is %t", name, tree.Ready())
			}
			tree.Close()
		}
	}
}

func TestLeastRecentlyAskedRevisionGoesFirst(t *testing.T) {
	t.Parallel()
	b := setup(t, 4, Options{Trees: 2})
	b.ask("v0", 0)
	b.ask("v1", 0)
	b.ask("v0", 0)
	b.ask("v2", 0)
	if got := b.kept(4); !slices.Equal(got, []string{"v0", "v2"}) {
		t.Fatalf("kept %q", got)
	}
	locks, err := filepath.Glob(filepath.Join(b.opts.Dir, "*", "*.lock"))
	if err != nil || len(locks) != 2 {
		t.Errorf("locks %q, %v", locks, err)
	}
	used := b.open("v0")
	b.ask("v1", 0)
	b.ask("v2", 0)
	b.ask("v3", 0)
	if got := b.kept(4); !slices.Contains(got, "v0") || b.text(used, "gate.txt") != "gate 0\n" {
		t.Errorf("a revision in use was removed: kept %q", got)
	}
	used.Close()
}

func TestRevisionsTogetherStayWithinTheirBytes(t *testing.T) {
	t.Parallel()
	b := setup(t, 4, Options{Bytes: 25_000})
	for i := range 4 {
		b.ask(fmt.Sprintf("v%d", i), 10_000)
	}
	if got := b.kept(4); !slices.Equal(got, []string{"v2", "v3"}) {
		t.Errorf("kept %q", got)
	}
}

func TestClearRemovesWhatNobodyAsks(t *testing.T) {
	t.Parallel()
	b := setup(t, 3, Options{})
	b.ask("v0", 0)
	b.ask("v1", 0)
	used := b.open("v1")
	defer used.Close()
	New(Options{Dir: b.opts.Dir}).Clear()
	if got := b.kept(3); !slices.Equal(got, []string{"v1"}) {
		t.Errorf("kept %q", got)
	}
	New(Options{Dir: filepath.Join(b.opts.Dir, "gone")}).Clear()
}

func TestWhatAnEndedProcessLeftIsRemoved(t *testing.T) {
	t.Parallel()
	b := setup(t, 2, Options{})
	b.ask("v0", 0)
	above := filepath.Dir(b.folders()[0])
	for _, name := range []string{writing + "1", removing + "2"} {
		if err := os.MkdirAll(filepath.Join(above, name, filesDir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	b.ask("v1", 0)
	if left, err := filepath.Glob(filepath.Join(above, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left %q, %v", left, err)
	}
}

func TestAlteredRevisionIsFoundAndWrittenOutAgain(t *testing.T) {
	t.Parallel()
	b := setup(t, 1, Options{})
	b.ask("v0", 0)
	tree := b.open("v0")
	if err := tree.Verify([]code.Path{"gate.txt", "sub/crane.txt"}); err != nil {
		t.Fatal(err)
	}
	for name, alter := range map[string]func() error{
		"text": func() error {
			return os.WriteFile(filepath.Join(tree.Files(), "gate.txt"), []byte("forged\n"), 0o600)
		},
		"missing": func() error { return os.Remove(filepath.Join(tree.Files(), "gate.txt")) },
		"link": func() error {
			return errors.Join(os.Remove(filepath.Join(tree.Files(), "gate.txt")),
				os.Symlink(filepath.Join(b.dir, "gate.txt"), filepath.Join(tree.Files(), "gate.txt")))
		},
	} {
		if err := alter(); err != nil {
			t.Fatal(err)
		}
		if err := tree.Verify([]code.Path{"gate.txt"}); !errors.Is(err, ErrAltered) {
			t.Errorf("%s: %v", name, err)
		}
		if err := tree.Discard(); err != nil {
			t.Fatal(err)
		}
		if tree = b.open("v0"); tree.Ready() || b.text(tree, "gate.txt") != "gate 0\n" {
			t.Errorf("%s: not written out again", name)
		}
		if err := tree.Keep(); err != nil {
			t.Fatal(err)
		}
	}
	if err := tree.Verify([]code.Path{"added.txt"}); !errors.Is(err, ErrAltered) {
		t.Errorf("a file that the commit has not: %v", err)
	}
	tree.Close()
}

func TestManyAtOnceAskWholeRevisions(t *testing.T) {
	t.Parallel()
	b := setup(t, 3, Options{Trees: 1})
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			for j := range 3 {
				n := (i + j) % 3
				tree, err := New(b.opts).Open(t.Context(), b.dir, fmt.Sprintf("v%d", n))
				if err != nil {
					t.Error(err)
					return
				}
				if err := tree.Verify([]code.Path{"gate.txt", "sub/crane.txt", ".gitignore"}); err != nil {
					t.Error(err)
				}
				if err := tree.Keep(); err != nil {
					t.Error(err)
				}
				tree.Close()
			}
		})
	}
	all.Wait()
}
