package githist

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
)

func TestRevisionNamesMeanWhatGitMeans(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	for i := range 4 {
		r.commit(fmt.Sprint("change ", i), "a.txt", "sub/b.txt")
	}
	r.git("tag", "-a", "-m", "named", "v1.2", "HEAD~2")
	r.git("branch", "topic/x", "HEAD~1")
	head := r.git("rev-parse", "HEAD")
	for _, name := range []string{"main", "HEAD", "@", "HEAD~3", "main^", "main^^", "main~1^", "v1.2", "v1.2^{}",
		"v1.2~1", "v1.2^{commit}", "topic/x", "refs/heads/topic/x", head, head[:8],
		strings.ToUpper(head[:10]), head + "~1", "v1.2-2-g" + head[:9], "tags/v1.2", "main^0"} {
		want := strings.Fields(r.git("rev-parse", name+"^{commit}", name+"^{tree}"))
		v, err := FindRevision(t.Context(), r.dir, name, Options{})
		if err != nil || v.Commit != want[0] || v.Tree != want[1] {
			t.Errorf("%q is %s of %s, %v; git says %q", name, v.Commit, v.Tree, err, want)
		}
	}
	v, err := FindRevision(t.Context(), filepath.Join(r.dir, "sub"), "v1.2", Options{})
	if want := r.git("rev-parse", "v1.2^{commit}:sub"); err != nil || v.Tree != want {
		t.Errorf("below: %s, %v; want %s", v.Tree, err, want)
	}
}

func TestBadRevisionIsAnErrorThatNamesIt(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.commit("one", "a.txt")
	blob := r.git("rev-parse", "HEAD:a.txt")
	outside, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "nope", "HEAD~1", "HEAD^2", "a..b", "HEAD:a.txt", "HEAD@{1}", "-x", "--all",
		"main\nHEAD", ":/one", "main^{/one}", "main^{tree}", blob, strings.Repeat("0", 40), "~1",
		strings.Repeat("x", 2000), "main~1234567", "../../x"} {
		_, err := FindRevision(t.Context(), r.dir, name, Options{})
		var bad *RevisionError
		if !errors.As(err, &bad) || bad.Name != name || !strings.Contains(err.Error(), fmt.Sprintf("%q", name)) {
			t.Errorf("%q: %v", name, err)
		}
	}
	var bad *RevisionError
	if _, err := FindRevision(t.Context(), outside, "main", Options{}); !errors.As(err, &bad) ||
		!strings.Contains(err.Error(), "no git repository") {
		t.Errorf("outside: %v", err)
	}
}

// export writes a revision out and returns the files by path.
func export(t *testing.T, r *repo, name string, l ExportLimits) (map[string]string, Exported, error) {
	t.Helper()
	v, err := FindRevision(t.Context(), r.dir, name, Options{})
	if err != nil {
		t.Fatal(err)
	}
	top := filepath.Join(t.TempDir(), "a", "b")
	if err := os.MkdirAll(top, 0o700); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	out, err := v.Export(t.Context(), root, l)
	files := map[string]string{}
	above := filepath.Dir(filepath.Dir(top))
	if err := filepath.WalkDir(above, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(top, p)
		text, err := os.ReadFile(p)
		files[filepath.ToSlash(rel)] = string(text)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return files, out, err
}

func TestExportWritesTheBlobsOfTheCommit(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		r := newRepo(t)
		if err := os.RemoveAll(filepath.Join(r.dir, ".git")); err != nil {
			t.Fatal(err)
		}
		r.git("init", "-q", "-b", "main", "--object-format="+format)
		r.write(".gitattributes", "* text eol=crlf ident\n") // none of it counts
		r.write("a.txt", "old $Id$\n")
		r.write("sub/empty", "")
		r.write("gone.txt", "deleted later\n")
		r.commit("one")
		r.git("rm", "-q", "gone.txt")
		r.write("a.txt", "new\n")
		r.commit("two")
		r.write("a.txt", "not committed\n")
		files, out, err := export(t, r, "HEAD~1", ExportLimits{})
		if err != nil || len(files) != 4 || files["a.txt"] != "old $Id$\n" || files["gone.txt"] != "deleted later\n" ||
			files["sub/empty"] != "" || out.LeftOut != 0 || len(out.Blobs) != 4 {
			t.Errorf("%s: %q, %+v, %v", format, files, out, err)
		}
		for _, b := range out.Blobs {
			if !b.Holds([]byte(files[b.Path])) || b.Holds([]byte(files[b.Path]+"x")) {
				t.Errorf("%s: the hash of %q does not name its content alone", format, b.Path)
			}
		}
	}
}

// object writes an object of any kind as it is, and returns its hash.
func (r *repo) object(kind string, body []byte) string {
	r.t.Helper()
	cmd := exec.Command("git", "hash-object", "-w", "--literally", "--stdin", "-t", kind)
	cmd.Dir, cmd.Stdin = r.dir, bytes.NewReader(body)
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// tree writes a tree, in which no name is refused: entries are mode, name and hash.
func (r *repo) tree(entries ...[3]string) string {
	var b []byte
	for _, e := range entries {
		hash, err := hex.DecodeString(e[2])
		if err != nil {
			r.t.Fatal(err)
		}
		b = append(append(b, e[0]+" "+e[1]+"\x00"...), hash...)
	}
	return r.object("tree", b)
}

func TestHostileTreeStaysInItsFolder(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	evil, fine := r.object("blob", []byte("evil")), r.object("blob", []byte("fine"))
	to := r.object("blob", []byte("/etc/passwd"))
	inner := r.tree([3]string{"100644", "escaped", evil})
	git := r.tree([3]string{"100644", "config", evil})
	top := r.tree([3]string{"40000", "..", inner}, [3]string{"40000", ".", inner}, [3]string{"40000", ".git", git},
		[3]string{"40000", ".GIT", git}, [3]string{"100644", "/etc/evil", evil}, [3]string{"100644", "..", evil},
		[3]string{"100644", "../escaped", evil}, [3]string{"100644", "a", fine}, [3]string{"40000", "a", inner},
		[3]string{"40000", "deep", r.tree([3]string{"40000", "..", r.tree([3]string{"40000", "..", inner})})},
		[3]string{"100644", "fine.txt", fine}, [3]string{"100644", strings.Repeat("n", 5000), evil},
		[3]string{"120000", "link", to}, [3]string{"160000", "module", strings.Repeat("1", 40)},
		[3]string{"100644", "x//y", evil})
	r.git("update-ref", "refs/heads/evil", r.git("commit-tree", "-m", "evil", top))
	files, out, err := export(t, r, "evil", ExportLimits{})
	want := map[string]string{"a": "fine", "fine.txt": "fine"}
	if err != nil || len(files) != len(want) || files["a"] != "fine" || files["fine.txt"] != "fine" ||
		out.LeftOut == 0 {
		t.Errorf("%.300q, %d left out, %v; want %q alone", fmt.Sprint(files), out.LeftOut, err, want)
	}
}

func TestExportLeavesOutWhatIsOverALimit(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	for i := range 20 {
		r.write(fmt.Sprintf("f%02d.txt", i), strings.Repeat("x", 100))
	}
	r.write("large.txt", strings.Repeat("y", 1000))
	r.commit("one")
	for name, test := range map[string]struct {
		l    ExportLimits
		want int
	}{
		"files":      {ExportLimits{Files: 2}, 2},
		"bytes":      {ExportLimits{Bytes: 350}, 3},
		"large":      {ExportLimits{Largest: func(code.Path) int64 { return 100 }}, 20},
		"all of it":  {ExportLimits{}, 21},
		"no content": {ExportLimits{Largest: func(code.Path) int64 { return 0 }}, 0},
	} {
		files, out, err := export(t, r, "main", test.l)
		if err != nil || len(files) != test.want || len(out.Blobs) != test.want || out.LeftOut != 21-test.want {
			t.Errorf("%s: %d files, %d left out, %v; want %d", name, len(files), out.LeftOut, err, test.want)
		}
	}
}

func TestTreeThatUnfoldsIsCutOff(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	blob := r.object("blob", []byte("x"))
	tree := r.tree([3]string{"100644", "f", blob})
	for range 9 { // 10^9 paths of a few objects
		var entries [][3]string
		for i := range 10 {
			entries = append(entries, [3]string{"40000", fmt.Sprintf("%d%s", i, strings.Repeat("n", 100)), tree})
		}
		tree = r.tree(entries...)
	}
	r.git("update-ref", "refs/heads/bomb", r.git("commit-tree", "-m", "bomb", tree))
	_, out, err := export(t, r, "bomb", ExportLimits{Files: 10})
	if err != nil || len(out.Blobs) != 10 || out.LeftOut == 0 {
		t.Errorf("%d files, %d left out, %v", len(out.Blobs), out.LeftOut, err)
	}
}

func TestDamagedBlobIsNotWrittenAsItsName(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.commit("one", "a.txt")
	hash, other := r.git("rev-parse", "HEAD:a.txt"), r.object("blob", []byte("another"))
	at := func(h string) string { return filepath.Join(r.dir, ".git", "objects", h[:2], h[2:]) }
	data, err := os.ReadFile(at(other))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(at(hash)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at(hash), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if files, _, err := export(t, r, "main", ExportLimits{}); err == nil {
		t.Errorf("no error for %q", files)
	}
}

func FuzzRevisionName(f *testing.F) {
	for _, s := range []string{"main", "HEAD~3", "v1^{}", "a\nb", "@", "x^{commit}~2^1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		base, walk, ok := split(name)
		if ok && (base == "" || strings.ContainsAny(walk, "\n\x00: ") || strings.ContainsAny(base, "\n\x00:~^")) {
			t.Errorf("%q is %q and %q", name, base, walk)
		}
	})
}

func FuzzReadTree(f *testing.F) {
	h := strings.Repeat("a", 40)
	f.Add([]byte("100644 blob " + h + "\ta/b\x00100755 blob " + h + "\t../c\x00120000 blob " + h + "\td\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var out Exported
		list, err := readTree(bytes.NewReader(text), ExportLimits{Files: 3}.withDefaults(), &out)
		if err != nil || len(list) > 3 || slices.ContainsFunc(list, func(b Blob) bool {
			return !filepath.IsLocal(b.Path) || hasGit(b.Path) || !isHash(b.Hash)
		}) {
			t.Errorf("%v, %v", list, err)
		}
	})
}
