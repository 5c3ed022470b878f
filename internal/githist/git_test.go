package githist

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/sandbox"
)

// repo is a git repository for a test.
type repo struct {
	t   *testing.T
	dir string
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &repo{t, dir}
	r.git("init", "-q", "-b", "main")
	return r
}

func (r *repo) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a",
		"GIT_AUTHOR_EMAIL=a@example.org",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *repo) write(path, text string) {
	r.t.Helper()
	name := filepath.Join(r.dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// commit changes files and commits them.
func (r *repo) commit(message string, files ...string) {
	r.t.Helper()
	for _, f := range files {
		r.write(f, message+f)
	}
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", message)
}

func (r *repo) update(dir string, old []byte) []byte {
	r.t.Helper()
	blob, err := Update(r.t.Context(), filepath.Join(r.dir, dir), old, Options{})
	if err != nil {
		r.t.Fatal(err)
	}
	return blob
}

func terms(text string) (out []code.TermID) {
	for i := 0; ; {
		start, end := lexical.NextIdent(text, i)
		if start == len(text) {
			return out
		}
		i = end
		lexical.Words(text[start:end], func(w string) {
			if id := lexical.Word(w).ID; !slices.Contains(out, id) {
				out = append(out, id)
			}
		})
	}
}

func opened(t *testing.T, blob []byte) *Part {
	t.Helper()
	p, err := Open(blob)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func paths(hits Hits) []code.Path { return hits.Paths(len(hits)) }

func TestMessagesPointAtTheFilesTheyChanged(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.commit("Set up", "README.md", "net/dial.go", "net/lease.go")
	r.commit("Renew leases before they run out", "net/lease.go")
	r.commit("Dial with a timeout\n\nLeases were late.\nSigned-off-by: Zeppelin <z@example.org>", "net/dial.go")
	p := opened(t, r.update("", nil))
	if got := paths(Search(terms("renew a lease"), p)); len(got) == 0 || got[0] != "net/lease.go" {
		t.Errorf("renewing leases points at %q", got)
	}
	if got := paths(Search(terms("dialing timeouts"), p)); len(got) != 1 || got[0] != "net/dial.go" {
		t.Errorf("timeouts point at %q", got)
	}
	if got := Search(terms("zeppelin"), p); len(got) != 0 {
		t.Errorf("a person's name points at %v", got)
	}
	if got := paths(Search(terms("renew leases"), opened(t, r.update("net", nil)))); len(got) == 0 ||
		got[0] != "lease.go" {
		t.Errorf("in a folder: %q, want paths relative to it", got)
	}
	task := NewPart([]Note{{Text: "Greet in French", Files: []code.Path{"i18n/fr.go"}}})
	if got := paths(Search(terms("french greeting"), p, task, nil)); len(got) != 1 || got[0] != "i18n/fr.go" {
		t.Errorf("beside tasks: %q", got)
	}
}

func TestARenamedFileKeepsItsHistory(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.commit("Renew leases", "lease.go", "other.go")
	before := r.update("", nil)
	r.git("mv", "lease.go", "renewal.go")
	r.commit("Move")
	r.git("mv", "renewal.go", "pact.go")
	r.commit("Move again")
	for name, old := range map[string][]byte{"read at once": nil, "in two readings": before} {
		if got := paths(Search(terms("leases"), opened(t, r.update("", old)))); !slices.Contains(got, "pact.go") ||
			slices.Contains(got, "lease.go") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestAnUpdateEqualsAFreshReading(t *testing.T) {
	t.Parallel()
	r, draw := newRepo(t), rand.New(rand.NewPCG(3, 4))
	words := strings.Fields("lease dial cache parse token queue render index")
	var blob []byte
	for round := range 12 {
		for range 1 + draw.IntN(3) {
			r.commit(fmt.Sprintf("Change %s of %s\n\nMore on %s.", words[draw.IntN(8)], words[draw.IntN(8)],
				words[draw.IntN(8)]),
				fmt.Sprintf("f%d.go", draw.IntN(6)), fmt.Sprintf("g%d.go", draw.IntN(6)))
		}
		switch round % 4 {
		case 2: // history is rewritten
			r.git("commit", "-q", "--amend", "-m", "Amended "+words[round%8])
		case 3:
			r.git("checkout", "-q", "-b", fmt.Sprintf("b%d", round), "HEAD~1")
		}
		blob = r.update("", blob)
		if !bytes.Equal(r.update("", blob), blob) {
			t.Fatal("without a commit the blob changes")
		}
		p, fresh := opened(t, blob), opened(t, r.update("", nil))
		for _, w := range words {
			if got, want := Search(terms(w), p), Search(terms(w), fresh); !slices.Equal(got, want) {
				t.Fatalf("round %d, %q: %v, read again %v", round, w, got, want)
			}
		}
	}
}

// TestNothingOfARepositoryRuns: a sandbox may hold a repository that somebody else has configured.
func TestNothingOfARepositoryRuns(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.commit("Renew leases", "lease.go", ".gitattributes")
	r.write(".gitattributes", "* diff=evil filter=evil\n")
	r.commit("Dial", "dial.go")
	head, ran := r.git("rev-parse", "HEAD"), filepath.Join(t.TempDir(), "ran")
	evil := "sh -c 'touch " + filepath.ToSlash(ran) + "' "
	for _, kv := range [][2]string{{"core.fsmonitor", evil}, {"core.pager", evil}, {"pager.log", "true"},
		{"core.hooksPath", ".git/hooks"},
		{"log.showSignature", "true"}, {"gpg.program", evil}, {"diff.external", evil}, {"diff.evil.command", evil},
		{"diff.evil.textconv", evil},
		{"filter.evil.smudge", evil}, {"core.sshCommand", evil}, {"core.alternateRefsCommand", evil},
		{"alias.log", "!" + evil}, {"core.editor", evil},
		{"remote.origin.url", "ext::" + evil}, {"remote.origin.promisor", "true"}, {"protocol.ext.allow", "always"},
		{"extensions.partialClone", "origin"},
		{"core.repositoryFormatVersion", "1"}, {"diff.orderFile", "nowhere"}, {"log.follow", "true"},
		{"log.mailmap", "true"}, {"diff.submodule", "log"},
		{
			"color.ui", "always",
		}, {"log.decorate", "full"}, {"format.pretty", "fuller"}, {"i18n.logOutputEncoding", "UTF-16"},
		{"notes.displayRef", "*"}, {"include.path", "/dev/zero"}} {
		r.git("config", kv[0], kv[1])
	}
	for _, hook := range []string{"post-index-change", "reference-transaction", "fsmonitor-watchman"} {
		r.write(".git/hooks/"+hook, "#!/bin/sh\n"+evil+"\n")
		if err := os.Chmod(filepath.Join(r.dir, ".git/hooks", hook), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if got := opened(t, r.update("", nil)); got.Notes() != 2 || got.Head != head {
		t.Errorf("%d notes to %s, want 2 to %s", got.Notes(), got.Head, head)
	}
	// An object that is not there would be fetched from the promisor.
	if _, err := Read(t.Context(), sandbox.Repository{Objects: filepath.Join(r.dir, ".git", "objects"),
		Head: strings.Repeat("1", 40)}, "", Options{}); err == nil {
		t.Error("a commit that is not there was read")
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program of the repository's configuration ran")
	}
}

func TestArgumentsAreHashes(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.commit("Renew leases", "lease.go")
	for _, rev := range []string{"", "HEAD", "--output=x", "main", "-n1"} {
		if _, err := Read(t.Context(), sandbox.Repository{Objects: filepath.Join(r.dir, ".git", "objects"), Head: rev},
			"", Options{}); err == nil {
			t.Errorf("%q was taken for a commit", rev)
		}
	}
}

func TestWithoutARepositoryThereIsNoHistory(t *testing.T) {
	t.Parallel()
	empty := newRepo(t)
	for name, dir := range map[string]string{
		"a plain folder": t.TempDir(),
		"no commit":      empty.dir,
		"nothing":        filepath.Join(t.TempDir(), "gone"),
	} {
		if _, err := Update(t.Context(), dir, nil, Options{}); !errors.Is(err, ErrNone) {
			t.Errorf("%s: %v, want ErrNone", name, err)
		}
	}
}

func TestUnusualNamesAndMessagesAreReadAsTheyAre(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		return // such names cannot be made there
	}
	r := newRepo(t)
	odd := []string{"with space.go", "quote\".go", "new\nline.go", strings.Repeat("a", 40), "ümlaut.go", ":(top)x"}
	r.commit(strings.Repeat("0123456789", 4)+"\n\n"+strings.Repeat("b", 40)+"\nLease\x01", odd...)
	p := opened(t, r.update("", nil))
	got := paths(Search(terms("lease"), p))
	slices.Sort(got)
	slices.Sort(odd)
	if !slices.Equal(got, odd) {
		t.Errorf("%q, want %q", got, odd)
	}
}

func TestCheckoutEqualsGit(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.commit("one", "a.go", "d/b.go", "d/e/c.go", "gone.go")
	first := r.git("rev-parse", "HEAD")
	r.git("rm", "-q", "gone.go", "d/b.go")
	r.commit("two", "d/b.go/now-a-folder.go", "with space.go")
	second := r.git("rev-parse", "HEAD")
	if runtime.GOOS != "windows" {
		if err := os.Symlink("/etc/passwd", filepath.Join(r.dir, "link.go")); err != nil {
			t.Fatal(err)
		}
	}
	r.commit("three", "a.go")
	third := r.git("rev-parse", "HEAD")
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	from, repository := "", sandbox.Repository{Objects: filepath.Join(r.dir, ".git", "objects"), Head: third}
	for _, to := range []string{first, third, second, first} {
		changed, err := Checkout(t.Context(), repository, root, from, to)
		if err != nil || len(changed) == 0 {
			t.Fatalf("to %s: %q, %v", to, changed, err)
		}
		var got []string
		_ = filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				rel, _ := filepath.Rel(dir, name)
				got = append(got, filepath.ToSlash(rel))
			}
			return err
		})
		want := slices.DeleteFunc(strings.Split(r.git("ls-tree", "-r", "--name-only", to), "\n"), func(p string) bool {
			return p == "link.go"
		})
		if !slices.Equal(got, want) {
			t.Errorf("at %s: %q, want %q", to, got, want)
		}
		from = to
	}
	if text, err := root.ReadFile("a.go"); err != nil || string(text) != "onea.go" {
		t.Errorf("a.go holds %q, %v", text, err)
	}
}
