package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/embed/static"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/search/local"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is a root beside an embedded index.
type bench struct {
	t     *testing.T
	root  string
	index search.Index
}

func setup(t *testing.T, files map[string]string) *bench {
	t.Helper()
	t.Parallel()
	index, err := local.Open(local.Options{Dir: filepath.Join(t.TempDir(), "projects")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { index.Close() })
	b := &bench{t: t, root: t.TempDir(), index: index}
	b.write(files)
	return b
}

func (b *bench) write(files map[string]string) {
	b.t.Helper()
	for name, text := range files {
		path := filepath.Join(b.root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			b.t.Fatal(err)
		}
	}
}

func (b *bench) refresh(o ingest.Options, r ingest.Request) *ingest.Report {
	b.t.Helper()
	r.Project, r.Root = "p", b.root
	rep, err := ingest.New(b.index, o).Refresh(context.Background(), r)
	if err != nil {
		b.t.Fatal(err)
	}
	return rep
}

// indexed lists the paths that are in the index, without those remembered as left out.
func (b *bench) indexed() []code.Path {
	b.t.Helper()
	snap, err := b.index.Open(context.Background(), "p")
	if err != nil {
		b.t.Fatal(err)
	}
	defer snap.Close()
	entries, err := snap.Entries(context.Background())
	if err != nil {
		b.t.Fatal(err)
	}
	paths := []code.Path{}
	for _, e := range entries {
		if e.Skip == "" {
			paths = append(paths, e.Path)
		}
	}
	return paths
}

func (b *bench) want(rep *ingest.Report, added, changed, removed int, generation int64) {
	b.t.Helper()
	if rep.Added != added || rep.Changed != changed || rep.Removed != removed || rep.Project.Generation != generation {
		b.t.Errorf("added %d, changed %d, removed %d, generation %d; want %d, %d, %d, %d",
			rep.Added, rep.Changed, rep.Removed, rep.Project.Generation, added, changed, removed, generation)
	}
}

var two = map[string]string{"a.go": "package a\n", "dir/b.py": "def b():\n    return 1\n"}

func TestARefreshCountsWhatItDidAndGrowsTheGenerationByChangesOnly(t *testing.T) {
	b := setup(t, two)
	o := ingest.Options{}
	b.want(b.refresh(o, ingest.Request{}), 2, 0, 0, 1)
	b.want(b.refresh(o, ingest.Request{}), 0, 0, 0, 1)
	if err := os.Chtimes(filepath.Join(b.root, "a.go"), time.Now(), time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	b.want(b.refresh(o, ingest.Request{}), 0, 0, 0, 1)
	b.write(map[string]string{"a.go": "package changed\n", "c.go": "package c\n"})
	os.Remove(filepath.Join(b.root, "dir/b.py"))
	b.want(b.refresh(o, ingest.Request{}), 1, 1, 1, 2)
	b.want(b.refresh(o, ingest.Request{Full: true}), 2, 0, 0, 2)
	if got := b.indexed(); !slices.Equal(got, []code.Path{"a.go", "c.go"}) {
		t.Errorf("indexed %q", got)
	}
}

// "a-b" follows "a" among the names of a folder, but "a-b/x" precedes "a/x" among paths.
func TestNothingIsDoneTwiceWhereFolderNamesSortAgainstTheirPaths(t *testing.T) {
	b := setup(t, map[string]string{"a/x.go": "package a\n", "a-b/x.go": "package ab\n", "a.go": "package x\n", "a/b/y.go": "package y\n", "a0/z.go": "package z\n"})
	b.want(b.refresh(ingest.Options{}, ingest.Request{}), 5, 0, 0, 1)
	b.want(b.refresh(ingest.Options{}, ingest.Request{}), 0, 0, 0, 1)
	b.want(b.refresh(ingest.Options{}, ingest.Request{Paths: []code.Path{"a", "a-b"}}), 0, 0, 0, 1)
}

func TestNamedPathsAreRefreshedAndNothingElse(t *testing.T) {
	b := setup(t, map[string]string{"a.go": "package a\n", "d/b.go": "package b\n", "d/c.go": "package c\n", "dz.go": "package dz\n"})
	o := ingest.Options{}
	b.refresh(o, ingest.Request{})
	b.write(map[string]string{"a.go": "package a2\n", "d/new.go": "package n\n"})
	os.Remove(filepath.Join(b.root, "d/b.go"))
	os.Remove(filepath.Join(b.root, "dz.go"))
	b.want(b.refresh(o, ingest.Request{Paths: []code.Path{"a.go"}}), 0, 1, 0, 2)
	b.want(b.refresh(o, ingest.Request{Paths: []code.Path{"d"}}), 1, 0, 1, 3)
	if got := b.indexed(); !slices.Equal(got, []code.Path{"a.go", "d/c.go", "d/new.go", "dz.go"}) {
		t.Errorf("indexed %q: dz.go was not named", got)
	}
	b.want(b.refresh(o, ingest.Request{Paths: []code.Path{"dz.go", "no/such.go"}}), 0, 0, 1, 4)
}

func TestAChangedIgnoreRuleRescansTheRoot(t *testing.T) {
	b := setup(t, two)
	b.refresh(ingest.Options{}, ingest.Request{})
	if err := os.Mkdir(filepath.Join(b.root, ".git"), 0o755); err != nil { // rules count in a repository
		t.Fatal(err)
	}
	b.write(map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".gitignore": "dir/\n"})
	b.refresh(ingest.Options{}, ingest.Request{Paths: []code.Path{".gitignore"}})
	if got := b.indexed(); slices.Contains(got, "dir/b.py") {
		t.Errorf("indexed %q, want dir/ left out", got)
	}
}

func TestCapsCutTheSameFilesWhateverHappenedBefore(t *testing.T) {
	files := map[string]string{}
	for i := range 8 {
		files[fmt.Sprintf("m%d.py", i)] = fmt.Sprintf("def cap%d():\n    pass\n", i)
	}
	b := setup(t, files)
	for _, o := range []ingest.Options{{MaxFiles: 5}, {}, {MaxFiles: 5}, {MaxProjectBytes: 4 * 24}, {}} {
		rep := b.refresh(o, ingest.Request{})
		want := 8
		if o.MaxFiles == 5 {
			want = 5
		} else if o.MaxProjectBytes > 0 {
			want = 4
		}
		skipped := rep.Skipped[code.CapFiles] + rep.Skipped[code.CapBytes]
		if rep.Project.Files != want || skipped != 8-want || len(b.indexed()) != want {
			t.Errorf("%+v: %d files, %d skipped, indexed %q; want %d files", o, rep.Project.Files, skipped, b.indexed(), want)
		}
	}
	b.write(map[string]string{"l.py": "def early():\n    pass\n"})
	b.refresh(ingest.Options{MaxFiles: 5}, ingest.Request{})
	if got := b.indexed(); !slices.Equal(got, []code.Path{"l.py", "m0.py", "m1.py", "m2.py", "m3.py"}) {
		t.Errorf("indexed %q, want the first five in path order", got)
	}
}

func TestFilesLeftOutForTheirContentAreReadOnce(t *testing.T) {
	b := setup(t, map[string]string{"x.dat": "\x00\x01\x02", "a.go": "package a\n"})
	for range 2 {
		if rep := b.refresh(ingest.Options{}, ingest.Request{}); rep.Skipped[code.Binary] != 1 {
			t.Errorf("skipped %v, want one binary", rep.Skipped)
		}
	}
	b.write(map[string]string{"x.dat": "now it is text\n"})
	b.want(b.refresh(ingest.Options{}, ingest.Request{}), 1, 0, 0, 2)
	b.write(map[string]string{"x.dat": "\x00\x00"})
	b.want(b.refresh(ingest.Options{}, ingest.Request{}), 0, 0, 1, 3)
}

func TestDiffersReportsWhetherDiskAndIndexDiffer(t *testing.T) {
	b := setup(t, two)
	in := ingest.New(b.index, ingest.Options{})
	differs := func() bool {
		t.Helper()
		snap, err := b.index.Open(context.Background(), "p")
		if err != nil {
			t.Fatal(err)
		}
		defer snap.Close()
		d, err := in.Differs(context.Background(), snap.Project())
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	b.refresh(ingest.Options{}, ingest.Request{})
	if differs() {
		t.Error("just refreshed, and differs")
	}
	for _, change := range []func(){
		func() { b.write(map[string]string{"a.go": "package other\n"}) },
		func() { b.write(map[string]string{"new.go": "package n\n"}) },
		func() { os.Remove(filepath.Join(b.root, "new.go")) },
	} {
		change()
		if !differs() {
			t.Error("changed, and does not differ")
		}
		b.refresh(ingest.Options{}, ingest.Request{})
	}
	e, err := static.Default()
	if err != nil {
		t.Fatal(err)
	}
	in = ingest.New(b.index, ingest.Options{Embedder: e})
	if !differs() {
		t.Error("made with another model, and does not differ")
	}
}

func TestAnotherModelRebuildsTheIndex(t *testing.T) {
	b := setup(t, two)
	b.refresh(ingest.Options{}, ingest.Request{})
	e, err := static.Default()
	if err != nil {
		t.Fatal(err)
	}
	rep := b.refresh(ingest.Options{Embedder: e}, ingest.Request{Paths: []code.Path{"a.go"}})
	if rep.Project.Files != 2 || rep.Project.Model.Dims != e.Dims() || rep.Project.Generation != 1 {
		t.Errorf("%+v", rep.Project)
	}
}

func TestAMissingRootIsOneClearError(t *testing.T) {
	b := setup(t, two)
	in := ingest.New(b.index, ingest.Options{})
	_, err := in.Refresh(context.Background(), ingest.Request{Project: "p", Root: filepath.Join(b.root, "gone")})
	if !errors.Is(err, sandbox.ErrMissing) {
		t.Errorf("%v, want sandbox.ErrMissing", err)
	}
	_, err = in.Refresh(context.Background(), ingest.Request{Project: "p", Root: filepath.Join(b.root, "a.go")})
	if !errors.Is(err, sandbox.ErrNotDirectory) {
		t.Errorf("%v, want sandbox.ErrNotDirectory", err)
	}
}

func TestACancelledRefreshChangesNothing(t *testing.T) {
	b := setup(t, two)
	b.refresh(ingest.Options{}, ingest.Request{})
	for i := range 300 {
		b.write(map[string]string{fmt.Sprintf("f%d.go", i): "package f\n"})
	}
	ctx, cancel := context.WithCancel(context.Background())
	in := ingest.New(b.index, ingest.Options{})
	_, err := in.Refresh(ctx, ingest.Request{Project: "p", Root: b.root, Progress: func(done, _ int) {
		if done > 100 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("%v, want a cancelled run", err)
	}
	if got := b.indexed(); len(got) != 2 {
		t.Errorf("%d files after a cancelled run, want the 2 from before", len(got))
	}
	b.want(b.refresh(ingest.Options{}, ingest.Request{}), 300, 0, 0, 2)
}

// angry is an embedder that fails, or panics, on one file.
type angry struct {
	embed.None
	panics bool
}

func (a angry) Documents(_ context.Context, texts []embed.Text) ([][]float32, error) {
	if strings.HasPrefix(texts[0].Path, "bad") {
		if a.panics {
			panic("out of its mind")
		}
		return nil, errors.New("no")
	}
	return nil, nil
}

func TestAFileThatCannotBeAnalyzedLeavesTheRestWhole(t *testing.T) {
	for _, panics := range []bool{false, true} {
		t.Run(fmt.Sprint("panics=", panics), func(t *testing.T) {
			b := setup(t, map[string]string{"a.go": "package a\n", "bad.go": "package bad\n", "c.go": "package c\n"})
			rep := b.refresh(ingest.Options{Embedder: angry{panics: panics}}, ingest.Request{})
			if rep.Failed["bad.go"] == "" || !slices.Equal(b.indexed(), []code.Path{"a.go", "c.go"}) {
				t.Errorf("failed %v, indexed %q", rep.Failed, b.indexed())
			}
		})
	}
}

// A path that is another kind of thing now takes along what stood there, though only one of the two is named.
func TestAPathThatChangesItsKindTakesItsOldFilesAlong(t *testing.T) {
	t.Parallel()
	for name, swap := range map[string]struct{ before, after, path, want string }{
		"a file becomes a folder":             {"part.go", "part.go/x.go", "part.go/x.go", "part.go/x.go"},
		"a file becomes a deep folder":        {"part.go", "part.go/a/b/x.go", "part.go/a/b/x.go", "part.go/a/b/x.go"},
		"a folder becomes a file":             {"part.go/x.go", "part.go", "part.go", "part.go"},
		"a folder becomes another folder":     {"part.go/x.go", "part.go/y.go", "part.go", "part.go/y.go"},
		"a folder becomes a file, by a child": {"part.go/x.go", "part.go", "part.go/x.go", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put := func(path string) {
				if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(path)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, path), []byte("package part\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			index, err := local.Open(local.Options{Dir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			defer index.Close()
			in := ingest.New(index, ingest.Options{})
			put("part.txt") // lies between the names of a file and of what is below a folder
			put(swap.before)
			if _, err := in.Refresh(t.Context(), ingest.Request{Project: "p", Root: dir}); err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(filepath.Join(dir, "part.go")); err != nil {
				t.Fatal(err)
			}
			put(swap.after)
			if _, err := in.Refresh(t.Context(), ingest.Request{Project: "p", Root: dir, Paths: []code.Path{swap.path}}); err != nil {
				t.Fatal(err)
			}
			snap, err := index.Open(t.Context(), "p")
			if err != nil {
				t.Fatal(err)
			}
			defer snap.Close()
			entries, err := snap.Entries(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var have []string
			for _, e := range entries {
				if e.Path != "part.txt" {
					have = append(have, e.Path)
				}
			}
			if got := strings.Join(have, " "); got != swap.want {
				t.Errorf("the index holds %q, want %q", got, swap.want)
			}
		})
	}
}
