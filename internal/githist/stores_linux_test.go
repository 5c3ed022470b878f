package githist

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/sandbox/sandboxtest"
)

// newRepoIn is newRepo in a folder of top.
func newRepoIn(t *testing.T, top, name string) *repo {
	t.Helper()
	r := &repo{t, filepath.Join(top, name)}
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	r.git("init", "-q", "-b", "main")
	return r
}

// twoRepos are a repository in an allowed folder and one outside, whose commit the first has checked out.
func twoRepos(t *testing.T, gc bool) (in, out *repo, allowed *sandbox.Allowed) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	in, out = newRepoIn(t, top, "in/web"), newRepoIn(t, top, "out/web")
	in.commit("harbour opens", "a.go")
	out.commit("treasure buried", "a.go")
	if gc {
		out.git("gc", "-q")
	}
	in.write(".git/HEAD", out.git("rev-parse", "HEAD")+"\n")
	return in, out, sandbox.Allow([]string{filepath.Join(top, "in")})
}

func swap(t *testing.T, in, out *repo, name string) {
	t.Helper()
	at := filepath.Join(in.dir, name)
	_ = os.Rename(at, at+".aside")
	if err := os.Symlink(filepath.Join(out.dir, name), at); err != nil {
		t.Fatal(err)
	}
}

func tells(blob []byte, word string) bool {
	p, err := Open(blob)
	return err == nil && len(Search(terms(word), p)) > 0
}

// TestObjectsSwappedAfterTheirCheckAreNotRead: git is handed what was checked, whatever lies there when it starts.
func TestObjectsSwappedAfterTheirCheckAreNotRead(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"", ".git", ".git/objects", ".git/objects/pack", ".git/objects/HH", ".git/objects/info/alternates",
	} {
		for _, gc := range []bool{false, true} {
			t.Run(name+map[bool]string{true: " packed"}[gc], func(t *testing.T) {
				t.Parallel()
				in, out, allowed := twoRepos(t, gc)
				r, err := sandbox.FindRepositoryIn(in.dir, allowed)
				if err != nil {
					t.Fatal(err)
				}
				switch {
				case strings.HasSuffix(name, "alternates"):
					in.write(name, filepath.Join(out.dir, ".git", "objects")+"\n")
				case strings.HasSuffix(name, "HH"): // all folders of objects
					for i := range 256 {
						hh := ".git/objects/" + string("0123456789abcdef"[i/16]) + string("0123456789abcdef"[i%16])
						if _, err := os.Stat(filepath.Join(out.dir, hh)); err == nil {
							swap(t, in, out, hh)
						}
					}
				default:
					swap(t, in, out, name)
				}
				if blob, _ := UpdateTo(t.Context(), r, nil, Options{}); tells(blob, "treasure") {
					t.Error("a commit of the outside was read")
				}
			})
		}
	}
}

// TestGitDirectorySwappedInALoopReadsNothingOutside: while .git, its objects and their folders are swapped for those
// outside and back, no commit of the outside is read.
func TestGitDirectorySwappedInALoopReadsNothingOutside(t *testing.T) {
	t.Parallel()
	for _, name := range []string{".git", ".git/objects", ".git/objects/pack"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, out, allowed := twoRepos(t, true)
			at := filepath.Join(in.dir, name)
			sandboxtest.SwapInALoop(t, at, filepath.Join(out.dir, name), in.dir, func() {
				time.Sleep(time.Duration(rand.IntN(4)) * time.Millisecond)
			})
			for range 12 {
				if blob, _ := Update(t.Context(), in.dir, nil, Options{Allowed: allowed}); tells(blob, "treasure") {
					t.Error("a commit of the outside was read")
				}
			}
		})
	}
}

// TestHistoryOfConfinedRepositoriesIsWhole: loose and packed objects, those of stores that are borrowed from and of
// linked working trees are read through handles as well as by path.
func TestHistoryOfConfinedRepositoriesIsWhole(t *testing.T) {
	t.Parallel()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	first := newRepoIn(t, top, "first")
	first.commit("harbour opens", "a.go")
	first.git("gc", "-q")
	first.commit("lighthouse built", "b.go")
	first.git("clone", "-q", "--shared", first.dir, filepath.Join(top, "second"))
	second := &repo{t, filepath.Join(top, "second")}
	second.commit("anchor dropped", "c.go")
	second.git("clone", "-q", "--shared", second.dir, filepath.Join(top, "third"))
	third := &repo{t, filepath.Join(top, "third")}
	third.git("worktree", "add", "-q", filepath.Join(top, "tree"))
	for _, name := range []string{"third", "tree"} {
		blob, err := Update(t.Context(), filepath.Join(top, name), nil, Options{Allowed: sandbox.Allow([]string{top})})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, word := range []string{"harbour", "lighthouse", "anchor"} {
			if !tells(blob, word) {
				t.Errorf("%s: no commit tells of %q", name, word)
			}
		}
	}
}
