package sandbox

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"
)

// bigTree makes 10,000 files in 1,000 folders with the ignore files of an ordinary project.
func bigTree(b *testing.B) string {
	root := b.TempDir()
	files := map[string]string{".gitignore": "node_modules/\n*.log\n*.tmp\n/build\n.DS_Store\n*.o\n*.a\ncoverage/\n*.swp\n/docs/*.html\n!keep.log\nvendor/cache/\n"}
	for i := range 10_000 {
		files[fmt.Sprintf("pkg%d/module%d/part%d/some_file_%d.go", i%10, i/10%10, i/100%10, i)] = "package x\n"
	}
	write(b, root, files)
	git(b, root, "init", "-q")
	git(b, root, "add", "-A")
	return root
}

func BenchmarkWalk(b *testing.B) {
	root := bigTree(b)
	b.Run("Walk", func(b *testing.B) {
		r := open(b, root)
		b.ReportAllocs()
		for b.Loop() {
			tree, err := r.Walk(b.Context())
			if err != nil || len(tree.Files) != 10_001 {
				b.Fatal(len(tree.Files), err)
			}
		}
	})
	b.Run("WalkDir", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			must(b, filepath.WalkDir(root, func(_ string, d fs.DirEntry, err error) error {
				if err == nil {
					_, err = d.Info()
				}
				return err
			}))
		}
	})
}
