package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
)

func TestAWatchedFolderThatIsMissingIsTakenUpWhenItComes(t *testing.T) {
	both(t, func(b *bundle) {
		late := filepath.Join(filepath.Dir(b.root), "late", "tree")
		b.start(func(o *Options) { o.Watch = []string{late, b.root} })
		b.indexed(code.DefaultProjectID(b.root), "a.go")
		if n := strings.Count(b.log.String(), "a watched folder is missing"); n != 1 {
			b.t.Errorf("warned %d times, want once", n)
		}
		b.write("../late/tree/b.go", "package b\n")
		b.indexed(code.DefaultProjectID(late), "b.go")
		b.write("../late/tree/c.go", "package c\n")
		b.indexed(code.DefaultProjectID(late), "b.go", "c.go")
		b.write("d.go", "package d\n")
		b.indexed(code.DefaultProjectID(b.root), "a.go", "d.go")
	})
}

// What a link leads to later is not followed, so the start says it, once, and not of a folder named by its real path.
func TestAWatchedFolderNamedThroughALinkIsWarnedOf(t *testing.T) {
	both(t, func(b *bundle) {
		link := filepath.Join(filepath.Dir(b.root), "current")
		if err := os.Symlink(b.root, link); err != nil {
			b.t.Skip("no links here:", err)
		}
		b.start(func(o *Options) { o.Watch = []string{link, b.root} })
		b.indexed(code.DefaultProjectID(b.root), "a.go")
		if n := strings.Count(b.log.String(), "a watched folder is named through a link"); n != 1 {
			b.t.Errorf("warned %d times, want once", n)
		}
	})
}
