package local

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/search/searchtest"
)

// A process that kills itself before the n-th change on disk is this test binary with these variables set.
const (
	dieDir  = "LOCAL_TEST_DIE_IN"
	dieStep = "LOCAL_TEST_DIE_AT"
	dieNext = "LOCAL_TEST_DIE_REBUILDING" // what it does is rebuild
	dieFold = "LOCAL_TEST_DIE_FOLDING"    // changed rows that may stand in CURRENT
)

func testSpec() search.Spec {
	return search.Spec{Project: "p", Root: "/srv/p", Model: search.Model{Embedder: "static/test-1", Dims: 8, Analyzer: 1}}
}

// before and after are the documents of the two states between which a process dies.
func before() []search.Document {
	var docs []search.Document
	for i := range 12 {
		docs = append(docs, searchtest.Doc(fmt.Sprintf("f%02d.go", i), "go", fmt.Sprintf("@old%d common", i), "second common"))
	}
	return docs
}

func after() []search.Document {
	docs := before()[3:]
	for i := range 8 {
		docs[i] = searchtest.Doc(docs[i].Entry.Path, "go", fmt.Sprintf("@new%d common", i))
	}
	return append(docs, searchtest.Doc("g.go", "go", "brand new"))
}

// advance brings the index from any state to docs, as a walk would.
func advance(t testing.TB, ix *Index, docs []search.Document) search.Project {
	t.Helper()
	w, err := ix.Writer(t.Context(), testSpec())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	have := map[string]search.Entry{}
	for _, e := range w.Entries() {
		have[e.Path] = e
	}
	for _, d := range docs {
		if have[d.Entry.Path] != d.Entry {
			if err := w.Put(t.Context(), d); err != nil {
				t.Fatal(err)
			}
		}
		delete(have, d.Entry.Path)
	}
	for p := range have {
		if err := w.Delete(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	p, err := w.Commit(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	p.Rebuilt = p.Rebuilt || w.Project().Rebuilt
	return p
}

func entries(docs []search.Document) []search.Entry {
	var list []search.Entry
	for _, d := range docs {
		list = append(list, d.Entry)
	}
	slices.SortFunc(list, func(a, b search.Entry) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// holds reports whether the project of ix can be read and holds exactly docs, searchable.
func holds(t testing.TB, ix *Index, docs []search.Document) error {
	t.Helper()
	snap, err := ix.Open(t.Context(), "p")
	if err != nil {
		return err
	}
	defer snap.Close()
	got, err := snap.Entries(t.Context())
	if err != nil {
		return err
	}
	if want := entries(docs); !slices.Equal(got, want) {
		return fmt.Errorf("%d entries, not the %d wanted", len(got), len(want))
	}
	for _, d := range docs {
		n, err := snap.Nominate(t.Context(), search.Query{Vector: d.Vectors[0], Files: 1})
		if err != nil {
			return err
		}
		if len(n.Files) != 1 || n.Files[0].Entry.Path != d.Entry.Path {
			return fmt.Errorf("the vector of %q nominates %d files", d.Entry.Path, len(n.Files))
		}
	}
	return nil
}

// TestDie is the process that is killed, not a test.
func TestDie(t *testing.T) {
	dir := os.Getenv(dieDir)
	if dir == "" {
		return
	}
	at, err := strconv.Atoi(os.Getenv(dieStep))
	if err != nil {
		t.Fatal(err)
	}
	ix := open(t, dir)
	ix.maxSegmentSource = 1 // a segment a file, so that there is something to merge
	if s := os.Getenv(dieFold); s != "" {
		if ix.foldFrom, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	ix.beforeStep = func(string) error {
		if n++; n == at {
			self, err := os.FindProcess(os.Getpid())
			if err != nil {
				return err
			}
			_ = self.Kill()
			select {}
		}
		return nil
	}
	if os.Getenv(dieNext) != "" {
		rebuild(t, ix)
	} else {
		advance(t, ix, after())
	}
}

func TestAProcessKilledAtAnyStepLeavesTheOldIndexOrTheNew(t *testing.T) {
	t.Parallel()
	for name, fold := range map[string]int{"each manifest in a file of its own": 0, "changes of a manifest": 11, "all in CURRENT": 512} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			killedAtEachStep(t, fold)
		})
	}
}

// killedAtEachStep kills a process, which may leave so many changed rows in CURRENT, at each step of a commit.
func killedAtEachStep(t *testing.T, fold int) {
	for at, sawOld, sawNew := 1, false, false; ; at++ {
		dir := t.TempDir()
		ix := open(t, dir)
		ix.foldFrom = fold // before() has 12 files
		advance(t, ix, before())
		ix.Close()
		cmd := exec.Command(os.Args[0], "-test.run=^TestDie$")
		cmd.Env = append(os.Environ(), dieDir+"="+dir, dieStep+"="+strconv.Itoa(at), dieFold+"="+strconv.Itoa(fold))
		died := cmd.Run() != nil

		ix = open(t, dir)
		old, changed := holds(t, ix, before()), holds(t, ix, after())
		if old != nil && changed != nil {
			t.Fatalf("killed before step %d: neither the old index (%v) nor the new (%v)", at, old, changed)
		}
		sawOld, sawNew = sawOld || old == nil && died, sawNew || changed == nil && died
		if p := advance(t, ix, after()); p.Rebuilt {
			t.Errorf("killed before step %d: the index was rebuilt", at)
		}
		if err := holds(t, ix, after()); err != nil {
			t.Errorf("killed before step %d: the next run leaves %v", at, err)
		}
		tidy(t, ix, fmt.Sprintf("killed before step %d", at))
		ix.Close()
		if !died {
			if !sawOld || !sawNew || at < 15 {
				t.Errorf("%d steps, killed with the old index left: %v, with the new: %v", at, sawOld, sawNew)
			}
			return
		}
	}
}

// tidy checks that the project's folder holds what CURRENT names and nothing else.
func tidy(t *testing.T, ix *Index, when string) {
	t.Helper()
	h, err := readHead(ix.folder("p"))
	if err != nil {
		t.Fatal(err)
	}
	known := []string{currentName, checkedName, confirmedName, failedName, lockName, ownerOf(lockName), nextLockName, ownerOf(nextLockName)}
	names, _, err := namedFiles(ix.folder("p"))
	if err != nil {
		t.Fatal(err)
	}
	known = slices.AppendSeq(known, maps.Keys(names))
	list, err := os.ReadDir(ix.folder("p"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		if !slices.Contains(known, f.Name()) {
			t.Errorf("%s: %q is left over", when, f.Name())
		}
	}
	if len(h.segs) > 2*maxSmall {
		t.Errorf("%s: %d segments", when, len(h.segs))
	}
}

func TestAFailedStepIsAnErrorAndHarmless(t *testing.T) {
	t.Parallel()
	for at := 1; ; at++ {
		ix := open(t, t.TempDir())
		advance(t, ix, before())
		ix.maxSegmentSource = 1
		n := 0
		ix.beforeStep = func(step string) error {
			if n++; n == at && !strings.HasPrefix(step, "remove ") {
				return fmt.Errorf("no space left before %s", step)
			}
			return nil
		}
		w, err := ix.Writer(t.Context(), testSpec())
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range after() {
			if err = w.Put(t.Context(), d); err != nil {
				break
			}
		}
		if err == nil {
			_, err = w.Commit(t.Context(), true)
		}
		if err != nil {
			if !strings.Contains(err.Error(), "no space left") {
				t.Errorf("step %d: error %v does not tell the cause", at, err)
			}
			if _, again := w.Commit(t.Context(), true); strings.Contains(err.Error(), "commit") && again == nil {
				t.Errorf("step %d: a commit after a failed one", at)
			}
		}
		w.Close()
		ix.beforeStep = noStep
		if err != nil {
			if _, broken := ix.Open(t.Context(), "p"); broken != nil {
				t.Errorf("step %d: %v", at, broken)
			}
		}
		advance(t, ix, after())
		if err := holds(t, ix, after()); err != nil {
			t.Errorf("step %d: the next run leaves %v", at, err)
		}
		tidy(t, ix, fmt.Sprintf("step %d failed", at))
		ix.Close()
		if at > n {
			return
		}
	}
}

func TestAHarmedFileIsNoticedAndHealed(t *testing.T) {
	t.Parallel()
	noise := make([]byte, 4096)
	for i := range noise {
		noise[i] = byte(i*7 + i>>3)
	}
	flip := func(at func(n int) int) func([]byte) []byte {
		return func(b []byte) []byte {
			if len(b) > 0 {
				b[at(len(b))] ^= 0x10
			}
			return b
		}
	}
	harms := map[string]func([]byte) []byte{
		"overwritten":    func(b []byte) []byte { return noise[:min(len(noise), max(len(b), 64))] },
		"cut in half":    func(b []byte) []byte { return b[:len(b)/2] },
		"cut by a byte":  func(b []byte) []byte { return b[:max(len(b)-1, 0)] },
		"emptied":        func([]byte) []byte { return nil },
		"longer":         func(b []byte) []byte { return append(b, 0) },
		"zeroed":         func(b []byte) []byte { return make([]byte, len(b)) },
		"flipped first":  flip(func(int) int { return 0 }),
		"flipped middle": flip(func(n int) int { return n / 2 }),
		"flipped last":   flip(func(n int) int { return n - 1 }),
		"newer": func(b []byte) []byte {
			return append(append(slices.Clone(b[:min(8, len(b))]), 9, 0, 0, 0), b[min(12, len(b)):]...)
		},
		"removed": nil,
	}
	good := t.TempDir()
	ix := open(t, good)
	ix.uncheckedLimit, ix.foldFrom = 0, 5 // so that there is a CHECKED, and a manifest with changes
	advance(t, ix, before())
	advance(t, ix, append(before(), searchtest.Doc("more.go", "go", "more")))
	now := append(before(), searchtest.Doc("more.go", "go", "more"))
	folder := filepath.Base(ix.folder("p"))
	ix.Close()
	files, err := os.ReadDir(filepath.Join(good, folder))
	if err != nil || len(files) < 4 {
		t.Fatalf("files %v, %v", files, err)
	}
	for _, f := range files {
		for name, harm := range harms {
			t.Run(f.Name()+" "+name, func(t *testing.T) {
				dir := t.TempDir()
				if err := os.CopyFS(dir, os.DirFS(good)); err != nil {
					t.Fatal(err)
				}
				file := filepath.Join(dir, folder, f.Name())
				if harm == nil {
					err = os.Remove(file)
				} else {
					var data []byte
					if data, err = os.ReadFile(file); err == nil {
						err = os.WriteFile(file, harm(data), 0o600)
					}
				}
				if err != nil {
					t.Fatal(err)
				}
				ix := open(t, dir)
				defer ix.Close()
				if _, err := ix.Projects(t.Context()); err != nil {
					t.Error(err)
				}
				essential := f.Name() == currentName || strings.HasPrefix(f.Name(), segmentPrefix) || strings.HasPrefix(f.Name(), manifestPrefix)
				opened := holds(t, ix, now)
				if (opened == nil) == essential {
					t.Errorf("reading it gives %v", opened)
				}
				lost := essential && !(f.Name() == currentName && harm == nil) // no CURRENT: no project, and nothing is wrong
				p := advance(t, ix, now)
				if p.Rebuilt != lost {
					t.Errorf("Rebuilt is %v, want %v", p.Rebuilt, lost)
				}
				if err := holds(t, ix, now); err != nil {
					t.Errorf("the next run leaves %v", err)
				}
				tidy(t, ix, "healed")
			})
		}
	}
}
