package local

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/search/searchtest"
)

func nextSpec() search.Spec {
	sp := testSpec()
	sp.Next, sp.Model.Embedder = true, "static/test-2"
	return sp
}

// slice brings the next version nearer to docs, by at most n files.
func slice(t testing.TB, ix *Index, docs []search.Document, n int, complete bool) search.Project {
	t.Helper()
	w, err := ix.Writer(t.Context(), nextSpec())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	have := map[string]search.Entry{}
	for _, e := range w.Entries() {
		have[e.Path] = e
	}
	for _, d := range docs {
		if have[d.Entry.Path] != d.Entry && n > 0 {
			if err := w.Put(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			n--
		}
		delete(have, d.Entry.Path)
	}
	for p := range have {
		if err := w.Delete(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	p, err := w.Commit(t.Context(), complete)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// rebuild makes a next version in slices, with a change of the version that serves in between, and tells on stdout how
// far it is.
func rebuild(t testing.TB, ix *Index) {
	t.Helper()
	for i := range 3 {
		fmt.Printf("kept %d\n", slice(t, ix, before(), 3, false).Next.Files)
		if i == 1 {
			advance(t, ix, after())
			fmt.Println("changed")
		}
	}
	slice(t, ix, after(), 1<<30, true)
	fmt.Println("switched")
}

func TestAProcessKilledAtAnyStepOfARebuildLeavesTheOldIndexAndTheRestToGoOnFrom(t *testing.T) {
	t.Parallel()
	for name, fold := range map[string]int{"each manifest in a file of its own": 0, "all in CURRENT and NEXT": 512} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			killedInARebuild(t, fold)
		})
	}
}

// killedInARebuild kills a process, which may leave so many changed rows in CURRENT and NEXT, at each step of a rebuild.
func killedInARebuild(t *testing.T, fold int) {
	for at, resumed := 1, 0; ; at++ {
		dir := t.TempDir()
		ix := open(t, dir)
		ix.foldFrom = fold
		advance(t, ix, before())
		ix.Close()
		cmd := exec.Command(os.Args[0], "-test.run=^TestDie$")
		cmd.Env = append(os.Environ(), dieDir+"="+dir, dieStep+"="+strconv.Itoa(at), dieNext+"=1", dieFold+"="+strconv.Itoa(fold))
		out, err := cmd.Output()
		died := err != nil

		ix = open(t, dir)
		snap, err := ix.Open(t.Context(), "p")
		if err != nil {
			t.Fatalf("killed before step %d: %v", at, err)
		}
		p := snap.Project()
		snap.Close()
		old, changed := holds(t, ix, before()), holds(t, ix, after())
		if old != nil && changed != nil || old == nil && bytes.Contains(out, []byte("changed")) {
			t.Fatalf("killed before step %d: neither the old index (%v) nor the new (%v), after %q", at, old, changed, out)
		}
		kept := 0
		for line := range bytes.Lines(out) {
			_, _ = fmt.Sscanf(string(line), "kept %d", &kept)
		}
		switch switched := p.Model == nextSpec().Model; {
		case switched && (changed != nil || p.Next.Exists()):
			t.Errorf("killed before step %d: switched to %+v", at, p)
		case switched && died && bytes.Contains(out, []byte("kept 9")):
			resumed++ // nothing is left to do
		case !switched && p.Next.Files < kept:
			t.Errorf("killed before step %d: %d files are left of %d", at, p.Next.Files, kept)
		}
		if p.Model != nextSpec().Model {
			sp := testSpec()
			w, err := ix.Writer(t.Context(), sp)
			if err != nil {
				t.Fatal(err)
			}
			if w.Project().Rebuilt {
				t.Errorf("killed before step %d: the version that serves was rebuilt", at)
			}
			w.Close()
			advance(t, ix, after())
			if p := slice(t, ix, after(), 0, false); p.Next.Files < kept-3 { // 3 files were deleted
				t.Errorf("killed before step %d: the next version begins again: %+v", at, p.Next)
			} else if kept > 0 {
				resumed++
			}
			tidy(t, ix, fmt.Sprintf("killed before step %d and gone on", at))
			p = slice(t, ix, after(), 1<<30, true)
			if p.Generation != 2 || p.Next.Exists() {
				t.Errorf("killed before step %d: the switch gives %+v", at, p)
			}
		} else { // as the next run would
			sp := nextSpec()
			sp.Next, sp.DropNext = false, true
			w, err := ix.Writer(t.Context(), sp)
			if err != nil {
				t.Fatal(err)
			}
			w.Close()
		}
		if err := holds(t, ix, after()); err != nil {
			t.Errorf("killed before step %d: the next run leaves %v", at, err)
		}
		tidy(t, ix, fmt.Sprintf("killed before step %d", at))
		if list, _ := filepath.Glob(filepath.Join(ix.folder("p"), "NEXT*")); len(list) > 0 {
			t.Errorf("killed before step %d: left over %q", at, list)
		}
		ix.Close()
		if !died {
			if at < 40 || resumed < 20 {
				t.Errorf("%d steps, %d of them gone on from", at, resumed)
			}
			return
		}
	}
}

func TestADamagedNextVersionIsRestartedAndTheServingOneStays(t *testing.T) {
	t.Parallel()
	good := t.TempDir()
	ix := open(t, good)
	advance(t, ix, before())
	slice(t, ix, before(), 6, false)
	folder := filepath.Base(ix.folder("p"))
	names := []string{nextName}
	n, err := readHeadOf(ix.folder("p"), nextName)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range n.segs {
		names = append(names, s.name)
	}
	ix.Close()
	for _, name := range names {
		for how, harm := range map[string]func([]byte) []byte{
			"cut":     func(b []byte) []byte { return b[:len(b)/2] },
			"emptied": func([]byte) []byte { return nil },
			"flipped": func(b []byte) []byte { b[len(b)/2] ^= 4; return b },
			"tail":    func(b []byte) []byte { b[len(b)-1] ^= 4; return b },
			"head":    func(b []byte) []byte { b[0] ^= 4; return b },
			"removed": nil,
		} {
			t.Run(name+" "+how, func(t *testing.T) {
				dir := t.TempDir()
				if err := os.CopyFS(dir, os.DirFS(good)); err != nil {
					t.Fatal(err)
				}
				file := filepath.Join(dir, folder, name)
				data, err := os.ReadFile(file)
				if err == nil && harm != nil {
					err = os.WriteFile(file, harm(data), 0o600)
				} else if err == nil {
					err = os.Remove(file)
				}
				if err != nil {
					t.Fatal(err)
				}
				ix := open(t, dir)
				defer ix.Close()
				if err := holds(t, ix, before()); err != nil {
					t.Errorf("the version that serves: %v", err)
				}
				w, err := ix.Writer(t.Context(), nextSpec())
				if err != nil {
					t.Fatal(err)
				}
				if n := len(w.Entries()); n != 0 {
					t.Errorf("%d entries of a version that cannot be read", n)
				}
				w.Close()
				if p := slice(t, ix, after(), 1<<30, true); p.Rebuilt || p.Generation != 2 {
					t.Errorf("%+v", p)
				}
				if err := holds(t, ix, after()); err != nil {
					t.Error(err)
				}
				tidy(t, ix, "healed")
			})
		}
	}
}

func TestANextVersionOfManySlicesIsMerged(t *testing.T) {
	t.Parallel()
	ix := open(t, t.TempDir())
	defer ix.Close()
	advance(t, ix, before())
	var docs []search.Document
	for i := range 60 {
		docs = append(docs, searchtest.Doc(fmt.Sprintf("m%02d.go", i), "go", fmt.Sprintf("@name%d common", i)))
		slice(t, ix, docs, 1, false)
	}
	h, err := readHeadOf(ix.folder("p"), nextName)
	if err != nil || len(h.segs) > 2*maxSmall {
		t.Errorf("%d segments, %v", len(h.segs), err)
	}
	tidy(t, ix, "after 60 slices")
	if err := holds(t, ix, before()); err != nil {
		t.Errorf("the version that serves: %v", err)
	}
	slice(t, ix, docs, 0, true)
	if err := holds(t, ix, docs); err != nil {
		t.Error(err)
	}
	tidy(t, ix, "after the switch")
}

func TestWritersOfBothVersionsRemoveNothingOfEachOther(t *testing.T) {
	t.Parallel()
	docs := before()[:7] // few enough that their segments are not merged in the end
	dir := t.TempDir()
	ix := open(t, dir)
	defer ix.Close()
	ix.maxSegmentSource = 1 // a segment a file, which has no name in NEXT until it is committed
	advance(t, ix, docs)
	w, err := ix.Writer(t.Context(), nextSpec())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i, d := range docs {
		docs[i] = searchtest.Doc(d.Entry.Path, "go", fmt.Sprintf("@changed%d", i))
		advance(t, ix, docs)
		if err := w.Put(t.Context(), docs[i]); err != nil {
			t.Fatal(err)
		}
		if i == 3 {
			if _, err := w.Commit(t.Context(), false); err != nil {
				t.Fatal(err)
			}
		}
		if list, _ := os.ReadDir(ix.folder("p")); len(list) > 40 {
			t.Fatalf("%d files: what is not needed any more is kept", len(list))
		}
	}
	if err := holds(t, ix, docs); err != nil {
		t.Errorf("the version that serves: %v", err)
	}
	if _, err := w.Commit(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir) // which has nothing mapped
	defer again.Close()
	if err := holds(t, again, docs); err != nil {
		t.Errorf("after the switch: %v", err)
	}
	tidy(t, ix, "after the switch")
}

func TestAWriterOfTheNextVersionThatWasRemovedLeavesItsSuccessorAlone(t *testing.T) {
	t.Parallel()
	docs := before()[:5] // few enough that their segments are not merged
	dir := t.TempDir()
	ix := open(t, dir)
	defer ix.Close()
	ix.maxSegmentSource = 1
	advance(t, ix, docs)
	old, err := ix.Writer(t.Context(), nextSpec())
	if err != nil {
		t.Fatal(err)
	}
	if err := ix.Remove(t.Context(), "p", 0); err != nil {
		t.Fatal(err)
	}
	advance(t, ix, docs)
	w, err := ix.Writer(t.Context(), nextSpec())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range docs {
		_ = old.Put(t.Context(), d)
		if err := w.Put(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	for _, complete := range []bool{false, true} {
		if _, err := old.Commit(t.Context(), complete); err == nil {
			t.Error("a commit of a version that was removed")
		}
	}
	old.Close()
	if _, err := w.Commit(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	w.Close()
	again := open(t, dir) // which has nothing mapped
	defer again.Close()
	if err := holds(t, again, docs); err != nil {
		t.Error(err)
	}
	tidy(t, again, "after the switch")
}
