//go:build unix

package e2etest

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestSinceIsWhatCameOrChangedAndStillStands(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, name := range []string{"old.py", "changed.py", "gone.py"} {
		if err := Write(root, name, "one\n"); err != nil {
			t.Fatal(err)
		}
	}
	d, err := NewDisk(root)
	if err != nil {
		t.Fatal(err)
	}
	moment := time.Now()
	for name, text := range map[string]string{"changed.py": "two\n", "new.py": "two\n"} {
		if err := d.Change(func() error { return Write(root, name, text) }); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Change(func() error { return os.Remove(filepath.Join(root, "gone.py")) }); err != nil {
		t.Fatal(err)
	}
	got := d.Since(moment)
	if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, []string{"changed.py", "new.py"}) ||
		got["changed.py"] != "two\n" {
		t.Errorf("got %q", got)
	}
	if all := d.Since(time.Time{}); len(all) != 3 {
		t.Errorf("of all time: %q", all)
	}
}
