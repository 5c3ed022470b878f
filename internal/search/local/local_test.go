package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/search/searchtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open opens the index of dir.
func open(t testing.TB, dir string) *Index {
	t.Helper()
	ix, err := Open(Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

func TestKeepsThePromisesOfSearch(t *testing.T) {
	t.Parallel()
	searchtest.Run(t, func(t *testing.T) func() search.Index {
		dir := filepath.Join(t.TempDir(), "projects")
		return func() search.Index { return open(t, dir) }
	})
}

func TestKeepsThePromisesOfSearchWithASegmentAFile(t *testing.T) {
	t.Parallel()
	searchtest.Run(t, func(t *testing.T) func() search.Index {
		dir := t.TempDir()
		return func() search.Index {
			ix := open(t, dir)
			ix.maxSegmentSource = 1
			return ix
		}
	})
}

func TestKeepsThePromisesOfANameIndex(t *testing.T) {
	t.Parallel()
	searchtest.RunNames(t, func(t *testing.T) func() search.Index {
		dir := t.TempDir()
		return func() search.Index {
			ix, err := Open(Options{Dir: dir, Mode: search.Names})
			if err != nil {
				t.Fatal(err)
			}
			return ix
		}
	})
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{}, {Dir: "x", Mode: "best"}} {
		if _, err := Open(o); err == nil {
			t.Errorf("Open(%+v) gives no error", o)
		}
	}
}

func TestFilesAreForTheirOwnerOnly(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		return // no such modes there
	}
	dir := filepath.Join(t.TempDir(), "state")
	ix := open(t, dir)
	defer ix.Close()
	advance(t, ix, before())
	if err := ix.Fail(t.Context(), "p", "x"); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%q has mode %v", d.Name(), info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestADamagedProjectIsNoProjectAndSaysWhy(t *testing.T) {
	t.Parallel()
	ix := open(t, t.TempDir())
	defer ix.Close()
	first := advance(t, ix, before())
	if err := os.WriteFile(filepath.Join(ix.folder("p"), currentName), []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := ix.Open(t.Context(), "p")
	var damaged *DamagedError
	if !errors.Is(err, search.ErrNoProject) || !errors.As(err, &damaged) || damaged.Cause == nil {
		t.Errorf("Open gives %v", err)
	}
	p := advance(t, ix, before())
	if !p.Rebuilt || p.Epoch == first.Epoch || p.Generation != 1 {
		t.Errorf("the new record is %+v", p)
	}
	rebuilt := func() bool {
		snap, err := ix.Open(t.Context(), "p")
		if err != nil {
			t.Fatal(err)
		}
		defer snap.Close()
		return snap.Project().Rebuilt
	}
	if !rebuilt() {
		t.Error("Open does not tell that the index was rebuilt")
	}
	if advance(t, ix, before()); rebuilt() {
		t.Error("Open still tells that the index was rebuilt after the next run")
	}
}

func TestAnIndexOfAnOlderFormatIsRebuilt(t *testing.T) {
	t.Parallel()
	ix := open(t, t.TempDir())
	advance(t, ix, before())
	segs, err := filepath.Glob(filepath.Join(ix.folder("p"), segmentPrefix+"*"))
	if err != nil || len(segs) != 1 {
		t.Fatal(segs, err)
	}
	ix.Close()
	data, err := os.ReadFile(segs[0])
	if err != nil {
		t.Fatal(err)
	}
	data[8] = segmentVersion - 1
	if err := os.WriteFile(segs[0], data, 0o600); err != nil {
		t.Fatal(err)
	}
	ix = open(t, ix.dir)
	defer ix.Close()
	if _, err := ix.Open(t.Context(), "p"); !errors.Is(err, search.ErrNoProject) || !strings.Contains(err.Error(), fmt.Sprintf("format %d, this program reads %d", segmentVersion-1, segmentVersion)) {
		t.Errorf("Open gives %v", err)
	}
	if p := advance(t, ix, before()); !p.Rebuilt {
		t.Error("the next run does not rebuild the index")
	}
	if err := holds(t, ix, before()); err != nil {
		t.Errorf("the next run leaves %v", err)
	}
}

func TestASegmentCutWhileItIsMappedIsAnErrorAndHeals(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		return // nothing is mapped there
	}
	ix := open(t, t.TempDir())
	defer ix.Close()
	var docs []search.Document
	for i := range 300 {
		docs = append(docs, searchtest.Doc(fmt.Sprintf("f%03d.go", i), "go", strings.Repeat("word ", i)+fmt.Sprint("x", i)))
	}
	advance(t, ix, docs)
	snap, err := ix.Open(t.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	seg := filepath.Join(ix.folder("p"), snap.(*snapshot).st.segs[0].ref.name)
	if err := os.Truncate(seg, 4096); err != nil {
		t.Fatal(err)
	}
	for _, q := range []search.Query{{Words: wordsOf(docs[299])}, {Vector: docs[0].Vectors[0]}} {
		if _, err := snap.Nominate(t.Context(), q); err == nil {
			t.Error("a segment that was cut short is searched")
		}
	}
	if p := advance(t, ix, docs); !p.Rebuilt {
		t.Error("the next run does not rebuild the index")
	}
	if err := holds(t, ix, docs); err != nil {
		t.Errorf("the next run leaves %v", err)
	}
}

func TestAReaderKeepsItsGenerationWhenTheFilesAreGone(t *testing.T) {
	t.Parallel()
	ix, other := open(t, t.TempDir()), (*Index)(nil)
	other = open(t, ix.dir)
	defer ix.Close()
	defer other.Close()
	advance(t, ix, before())
	snap, err := ix.Open(t.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Remove(t.Context(), "p", 0); err != nil {
		t.Fatal(err)
	}
	n, err := snap.Nominate(t.Context(), search.Query{Words: wordsOf(before()[0])})
	if err != nil || len(n.Files) == 0 {
		t.Errorf("nominated %v, %v", n, err)
	}
	if _, err := ix.Open(t.Context(), "p"); !errors.Is(err, search.ErrNoProject) {
		t.Errorf("Open gives %v", err)
	}
	if _, err := os.Stat(ix.folder("p")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
	snap.Close()
	if _, err := snap.Nominate(t.Context(), search.Query{}); err == nil {
		t.Error("a closed snapshot answers")
	}
}

func TestMappingsGoWhenNobodyUsesThem(t *testing.T) {
	t.Parallel()
	ix := open(t, t.TempDir())
	ix.maxSegmentSource = 1
	for range 3 {
		advance(t, ix, before())
		advance(t, ix, after())
		snap, err := ix.Open(t.Context(), "p")
		if err != nil {
			t.Fatal(err)
		}
		defer snap.Close()
		snap.Close()
	}
	st := ix.cache.states[ix.folder("p")]
	if st == nil || st.refs != 1 || len(ix.cache.segments) != len(st.segs) {
		t.Errorf("%d segments are mapped, the project has %d", len(ix.cache.segments), len(st.segs))
	}
	for i := range maxStates + 5 {
		sp := testSpec()
		sp.Project = fmt.Sprint("q", i)
		w, err := ix.Writer(t.Context(), sp)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Commit(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		w.Close()
		snap, err := ix.Open(t.Context(), sp.Project)
		if err != nil {
			t.Fatal(err)
		}
		snap.Close()
	}
	if len(ix.cache.states) != maxStates || len(ix.cache.recent) != maxStates {
		t.Errorf("%d states are kept, want %d", len(ix.cache.states), maxStates)
	}
	ix.Close()
	if len(ix.cache.segments) != 0 || len(ix.cache.states) != 0 {
		t.Errorf("after Close %d segments are mapped", len(ix.cache.segments))
	}
}

func TestAMergedIndexAnswersAsOneInOnePiece(t *testing.T) {
	t.Parallel()
	whole, pieces := open(t, t.TempDir()), open(t, t.TempDir())
	defer whole.Close()
	defer pieces.Close()
	var docs []search.Document
	for i := range 60 {
		docs = append(docs, searchtest.Doc(fmt.Sprintf("d%d/f%02d.go", i%5, i), "go", fmt.Sprintf("common w%d w%d #w%d", i%7, i%11, i%7), fmt.Sprintf("@name%d other", i)))
	}
	advance(t, whole, docs)
	for i := range docs {
		advance(t, pieces, docs[:i+1])
	}
	st, err := pieces.load(pieces.folder("p"), "p")
	if err != nil {
		t.Fatal(err)
	}
	if len(st.segs) > maxSmall {
		t.Errorf("%d segments after %d commits", len(st.segs), len(docs))
	}
	pieces.cache.releaseState(st)
	for i := range 11 {
		q := search.Query{Words: wordsOf(docs[i]), Vector: docs[i].Vectors[0], Files: 20}
		var answers [2][]search.Candidate
		for k, ix := range []*Index{whole, pieces} {
			snap, err := ix.Open(t.Context(), "p")
			if err != nil {
				t.Fatal(err)
			}
			n, err := snap.Nominate(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			answers[k] = n.Files
			snap.Close()
		}
		same := slices.EqualFunc(answers[0], answers[1], func(a, b search.Candidate) bool {
			return a.Entry == b.Entry && string(a.Features) == string(b.Features) && slices.Equal(a.Cosines, b.Cosines)
		})
		if !same {
			t.Errorf("query %d: the answers differ, or their order", i)
		}
	}
}

func TestADocumentIsMergedOnlyNowAndThen(t *testing.T) {
	t.Parallel()
	ix := open(t, t.TempDir())
	defer ix.Close()
	merges := 0
	ix.beforeStep = func(step string) error {
		if step == "merge" {
			merges++
		}
		return nil
	}
	var docs []search.Document
	for i := range 100 {
		docs = append(docs, searchtest.Doc(fmt.Sprintf("f%02d.go", i), "go", fmt.Sprint("w", i)))
		advance(t, ix, docs)
	}
	if merges == 0 || merges > 30 {
		t.Errorf("%d merges in 100 commits", merges)
	}
}

// wordsOf are the words of a document's first chunk.
func wordsOf(d search.Document) (words []code.Term) {
	for _, tf := range d.File.Chunks[0].Terms {
		words = append(words, tf.Term)
	}
	return words
}

func TestDotIsThatOfSearch(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 3, 8, 12, 64, 100, 256, 1024} {
		q, v := make([]int8, n), make([]float32, n)
		for i := range q {
			q[i], v[i] = int8(i*37), float32((i*101)%211)/211-0.5
		}
		if got, want := dot(q, 0.01, v), search.Dot(q, 0.01, v); got != want {
			t.Errorf("%d dimensions: %g, want %g", n, got, want)
		}
	}
	if dot(make([]int8, 8), 1, make([]float32, 16)) != 0 {
		t.Error("vectors of different lengths have a product")
	}
}
