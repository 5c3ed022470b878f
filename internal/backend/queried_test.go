package backend

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestWhatWasNotedOfQueriesGoesWithTheProjects(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := &Backend{Name: Embedded, opts: Options{StateDir: dir}}
	if err := b.KeepQueried(nil); err != nil {
		t.Errorf("nothing noted yet: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, projectsDir), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"here", "gone", "new", "reset"} {
		b.Queried(id)
	}
	long := time.Now().Add(-2 * time.Hour)
	for _, id := range []string{"here", "gone"} {
		if err := os.Chtimes(b.queriedFile(id), long, long); err != nil {
			t.Fatal(err)
		}
	}
	b.NoteRemoved(t.Context(), "reset")
	if err := b.KeepQueried([]string{"here"}); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]bool{"here": true, "gone": false, "new": true, "reset": false} {
		if _, err := os.Stat(b.queriedFile(id)); (err == nil) != want {
			t.Errorf("what was noted of %q: %v", id, err)
		}
	}
}
