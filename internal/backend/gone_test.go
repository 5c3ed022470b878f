package backend

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/statedir"
)

func TestMissingRootsAreRememberedUntilTheyAreBack(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, b *Backend) {
		ctx := t.Context()
		if err := statedir.Make(b.opts.StateDir); err != nil {
			t.Fatal(err)
		}
		since := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
		web, api := Gone{"/srv/web", since}, Gone{"/srv/\xffapi", since.Add(time.Hour)}
		want := func(n int, project string, g Gone) {
			t.Helper()
			all, err := open(t, b.opts).Gone(ctx)
			if err != nil || len(all) != n || all[project].Root != g.Root || !all[project].Since.Equal(g.Since) {
				t.Errorf("%v, %v", all, err)
			}
		}
		note := func(project string, g Gone) {
			t.Helper()
			if err := b.NoteGone(ctx, project, g); err != nil {
				t.Fatal(err)
			}
		}
		want(0, "web", Gone{})
		note("web", Gone{})
		note("web", web)
		note("api", api)
		want(2, "web", web)
		note("web", api)
		note("api", Gone{})
		want(1, "web", Gone{"/srv/�api", api.Since})
		if b.Name == Embedded {
			if err := os.WriteFile(filepath.Join(b.opts.StateDir, goneFile), []byte("{"), 0o600); err != nil {
				t.Fatal(err)
			}
		} else if err := b.client.HSet(ctx, b.goneKey(), "web", "{").Err(); err != nil {
			t.Fatal(err)
		}
		want(0, "web", Gone{})
		note("web", web)
		want(1, "web", web)
	})
}
