package local

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/owner"
)

// checkedIndex writes the index of before() with a CHECKED.
func checkedIndex(t *testing.T) (dir string) {
	t.Helper()
	if owner.Boot() == "" {
		t.Skip("this system does not say when it was started")
	}
	dir = t.TempDir()
	ix := open(t, dir)
	ix.uncheckedLimit = 0
	advance(t, ix, before())
	ix.Close()
	return dir
}

// harmVector flips the last byte of a segment, which only its sum tells, and gives the segment's file.
func harmVector(t *testing.T, ix *Index) (name string) {
	t.Helper()
	h, err := readHead(ix.folder("p"))
	if err != nil {
		t.Fatal(err)
	}
	name = filepath.Join(ix.folder("p"), h.segs[0].name)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-1] ^= 0x10
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func opens(t *testing.T, ix *Index) error {
	t.Helper()
	snap, err := ix.Open(t.Context(), "p")
	if err != nil {
		return err
	}
	return snap.Close()
}

func TestASegmentThatChangesAfterItWasCheckedIsDamaged(t *testing.T) {
	dir := checkedIndex(t)
	ix := open(t, dir)
	defer ix.Close()
	harmVector(t, ix)
	if err := opens(t, ix); !errors.Is(err, errDamaged) {
		t.Errorf("opening it gives %v", err)
	}
}

// noteOf is the file of a note.
func noteOf(line string) string { return fmt.Sprintf("%08x %s\n", sum([]byte(line)), line) }

func TestSumsAreReadOncePerStartOfTheSystem(t *testing.T) {
	dir := checkedIndex(t)
	ix := open(t, dir)
	defer ix.Close()
	name := harmVector(t, ix) // as a disk that gives back other bytes: CHECKED is made to fit the file
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seg := &segment{ref: segRef{name: filepath.Base(name)}, stat: fileState(f)}
	ix.noteChecked(ix.folder("p"), []*segment{seg})
	if err := opens(t, ix); err != nil {
		t.Fatalf("its sums were read again: %v", err)
	}

	note := filepath.Join(ix.folder("p"), checkedName)
	data, err := os.ReadFile(note)
	if err != nil {
		t.Fatal(err)
	}
	for what, other := range map[string]string{
		"another start of the system": noteOf(strings.Replace(string(data[9:len(data)-1]), owner.Boot(), "another", 1)),
		"a note cut short":            string(data[:len(data)/2]),
		"a note without a sum":        string(data[9:]),
		"no note":                     "",
	} {
		if err := os.WriteFile(note, []byte(other), 0o600); err != nil {
			t.Fatal(err)
		}
		again := open(t, dir)
		if err := opens(t, again); !errors.Is(err, errDamaged) {
			t.Errorf("%s: opening it gives %v", what, err)
		}
		again.Close()
	}

	ix.noteChecked(ix.folder("p"), []*segment{seg})
	again := open(t, dir)
	defer again.Close()
	if faults, err := again.Inspect(t.Context()); err != nil || len(faults) != 1 {
		t.Errorf("an inspection finds %v, %v", faults, err)
	}
}
