//go:build unix

package sandbox

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/ignore"
	"github.com/contextd/contextd/internal/sandbox/sandboxtest"
)

// indexOf is a git index, version 2, of one file.
func indexOf(name string) string {
	b := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("DIRC"), 2), 1)
	b = append(b, make([]byte, 62)...)
	b = append(b, name...)
	b = append(b, make([]byte, 8-(62+len(name))%8)...)
	return string(append(b, make([]byte, 20)...))
}

// gitFilesOf are the files of a git directory that tell a word when they are read.
func gitFilesOf(dir, word string) map[string]string {
	hash := strings.Repeat(map[string]string{"inside": "1", "outside": "2"}[word], 40) + "\n"
	return map[string]string{dir + "/HEAD": "ref: refs/heads/main\n", dir + "/refs/heads/main": hash, dir + "/objects/x": "", dir + "/shallow": hash,
		dir + "/index": indexOf(word + ".go"), dir + "/info/exclude": word + ".out\n", dir + "/config": "[core]\n\texcludesFile = .git/rules\n", dir + "/rules": word + ".rule\n"}
}

// TestGitDirectorySwappedAfterItsCheckIsNotRead: a repository is checked, then a folder or a file of it is swapped for
// a link to another one outside. What is read then is nothing of that.
func TestGitDirectorySwappedAfterItsCheckIsNotRead(t *testing.T) {
	t.Parallel()
	for _, swapped := range []string{"web", "web/.git", "web/.git/HEAD", "web/.git/refs", "web/.git/refs/heads/main", "web/.git/index", "web/.git/info", "web/.git/info/exclude",
		"web/.git/rules", "web/.git/config", "web/.gitignore"} {
		t.Run(swapped, func(t *testing.T) {
			t.Parallel()
			top := write(t, t.TempDir(), gitFilesOf("in/web/.git", "inside"))
			write(t, top, gitFilesOf("out/web/.git", "outside"))
			write(t, top, map[string]string{"in/web/sub/a.go": "x\n", "out/web/sub/a.go": "x\n", "in/web/.gitignore": "x.inside\n", "out/web/.gitignore": "x.outside\n"})
			allowed := Allow([]string{filepath.Join(top, "in")})
			root, err := Open(filepath.Join(top, "in", "web", "sub"), Options{Allowed: allowed})
			must(t, err)
			t.Cleanup(func() { root.Close() })
			r, _ := findRepo(root.Path(), allowed)
			if r == nil {
				t.Fatal("no repository")
			}
			s := &scan{r: root}
			x, err := readIndex(r)
			if told := toldBy(s.baseRules(&s.starved, r)); err != nil || !x.Has("inside.go") || r.head()[0] != '1' || told != "inside.out inside.rule" {
				t.Fatalf("before: head %s, index %v, %v, rules %s", r.head(), x, err, told)
			}
			at := filepath.Join(top, "in", swapped)
			must(t, os.Rename(at, at+".aside"))
			must(t, os.Symlink(filepath.Join(top, "out", swapped), at))

			if head := r.head(); strings.Contains(head, "2") {
				t.Errorf("head of the outside: %s", head)
			}
			if x, err := readIndex(r); err == nil && x.Has("outside.go") {
				t.Error("tracked names of the outside")
			}
			if told := toldBy(s.baseRules(&s.starved, r)); strings.Contains(told, "outside") {
				t.Errorf("rules of the outside: %s", told)
			}
			if told := toldBy(root.newScan().outerGit); strings.Contains(told, "outside") {
				t.Errorf("rules of the outside above the root: %s", told)
			}
		})
	}
}

// toldBy are the names that rules ignore.
func toldBy(rules *ignore.Set) string {
	var told []string
	for _, name := range []string{"inside.out", "outside.out", "inside.rule", "outside.rule", "x.inside", "x.outside"} {
		ef := ignore.NewEffort(nil)
		if rule, _ := rules.Decide(name, name, false, &ef); rule != nil {
			told = append(told, name)
		}
	}
	slices.Sort(told)
	return strings.Join(told, " ")
}

// TestGitDirectorySwappedInALoopLendsNoRules: while a git directory is swapped for one outside and back, walks see
// neither its rules nor what it tracks: the rules and tracked files of the outside would change what is listed.
func TestGitDirectorySwappedInALoopLendsNoRules(t *testing.T) {
	t.Parallel()
	for _, swapped := range []string{".git", ".git/info", ".git/index"} {
		t.Run(swapped, func(t *testing.T) {
			t.Parallel()
			top := write(t, t.TempDir(), gitFilesOf("in/web/.git", "inside"))
			write(t, top, gitFilesOf("out/web/.git", "outside"))
			write(t, top, map[string]string{"in/web/.gitignore": "*.go\n", "in/web/outside.go": "x\n", "in/web/outside.out": "x\n"})
			root := open(t, filepath.Join(top, "in", "web"), Options{Allowed: Allow([]string{filepath.Join(top, "in")})})
			sandboxtest.SwapInALoop(t, filepath.Join(root.Path(), swapped), filepath.Join(top, "out", "web", swapped), filepath.Join(top, "git"), nil)
			for range 400 {
				listed := paths(walk(t, root))
				if slices.Contains(listed, "outside.go") {
					t.Fatal("a file that only the outside tracks was listed")
				}
				if !slices.Contains(listed, "outside.out") {
					t.Fatal("a rule of the outside left a file out")
				}
			}
		})
	}
}
