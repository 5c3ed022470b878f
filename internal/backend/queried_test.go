package backend

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

func TestWhatWasNotedOfQueriesGoesWithTheProjects(t *testing.T) {
	t.Parallel()
	for _, backing := range []string{Embedded, Redis} {
		t.Run(backing, func(t *testing.T) {
			t.Parallel()
			ctx, o := t.Context(), Options{StateDir: t.TempDir()}
			if backing == Redis {
				s := rdbtest.Own(t, rdbtest.Search)
				o.Redis, o.Prefix = s.URL, s.Prefix
			}
			b, err := Open(o)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = b.Close() })
			if err := b.KeepUses(ctx, nil); err != nil {
				t.Errorf("nothing noted yet: %v", err)
			}
			if err := os.MkdirAll(filepath.Join(o.StateDir, projectsDir), 0o700); err != nil {
				t.Fatal(err)
			}
			for _, id := range []string{"here", "gone", "new", "reset"} {
				b.Queried(id)
			}
			b.notes.Wait()
			long := time.Now().Add(-2 * useKept)
			for _, id := range []string{"here", "gone"} {
				if backing == Redis {
					err = b.client.HSet(ctx, b.usesKey(), id, fmt.Sprint(long.UnixMilli(), " ", long.UnixMilli())).Err()
				} else {
					err = errors.Join(os.WriteFile(b.queriedFile(id), fmt.Append(nil, long.UnixMilli()), 0o600), os.Chtimes(b.queriedFile(id), long, long))
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			b.NoteRemoved(ctx, "reset")
			if err := b.KeepUses(ctx, []string{"here"}); err != nil {
				t.Fatal(err)
			}
			all, err := b.noted(ctx)
			if err != nil {
				t.Fatal(err)
			}
			for id, want := range map[string]bool{"here": true, "gone": false, "new": true, "reset": false} {
				if _, ok := all[b.noteName(id)]; ok != want {
					t.Errorf("noted of %q: %v", id, ok)
				}
			}
		})
	}
}
