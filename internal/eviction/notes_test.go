package eviction

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWhatWasNotedOfQueriesGoesWithTheProjects(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, b *bed) {
		ctx := t.Context()
		if err := b.KeepUses(ctx, nil); err != nil {
			t.Errorf("nothing noted yet: %v", err)
		}
		if b.dir != "" {
			if err := os.MkdirAll(filepath.Join(b.dir, "projects"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		for _, id := range []string{"here", "gone", "new", "reset"} {
			b.Queried(id)
		}
		b.Wait()
		setUse(t, b, "here", 2*useKept, 2*useKept)
		setUse(t, b, "gone", 2*useKept, 2*useKept)
		b.Forget(ctx, "reset")
		if err := b.KeepUses(ctx, []string{"here"}); err != nil {
			t.Fatal(err)
		}
		all, err := b.notes.all(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for id, want := range map[string]bool{"here": true, "gone": false, "new": true, "reset": false} {
			if _, ok := all[b.notes.name(id)]; ok != want {
				t.Errorf("noted of %q: %v", id, ok)
			}
		}
	})
}
