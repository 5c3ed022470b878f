package daemon

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/code"
)

func TestAFolderSwappedForAFileAndBackLeavesNothingBehind(t *testing.T) {
	for _, pause := range []time.Duration{0, 30 * time.Millisecond} {
		t.Run(pause.String(), func(t *testing.T) {
			both(t, func(b *bundle) {
				b.write("part.go/one.go", "package one\n")
				b.write("part.go/deep/two.go", "package two\n")
				b.start(func(o *Options) { o.ReconcileInterval = time.Hour })
				id := code.DefaultProjectID(b.root)
				b.indexed(id, "a.go", "part.go/deep/two.go", "part.go/one.go")
				at := filepath.Join(b.root, "part.go")
				swap := func(f func()) {
					if err := os.RemoveAll(at); err != nil {
						b.t.Fatal(err)
					}
					f()
					time.Sleep(pause)
				}
				for range 3 {
					swap(func() { b.write("part.go", "package part\n") })
					swap(func() { b.write("part.go/three.go", "package three\n") })
				}
				b.indexed(id, "a.go", "part.go/three.go")
				swap(func() { b.write("part.go", "package part\n") })
				b.indexed(id, "a.go", "part.go")
				away := at + ".away"
				if err := os.Rename(at, away); err != nil {
					b.t.Fatal(err)
				}
				b.write("part.go/three.go", "package three\n")
				if err := os.Remove(away); err != nil {
					b.t.Fatal(err)
				}
				b.indexed(id, "a.go", "part.go/three.go")
			})
		})
	}
}
