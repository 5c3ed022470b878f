package sandbox

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Names that sort differently as folder names and as parts of paths: "a-b" follows "a", but "a-b/x" precedes "a/x".
func TestWalkOrdersByTheBytesOfWholePaths(t *testing.T) {
	t.Parallel()
	names := []string{"a", "a-b", "a.b", "a!", "a b", "a0", "ab", "A", "a\x01", "é", "a/", "tokio", "tokio-macros"}
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 7))
		dir := t.TempDir()
		for range 60 {
			var parts []string
			for range 1 + rng.IntN(3) {
				parts = append(parts, strings.TrimSuffix(names[rng.IntN(len(names))], "/"))
			}
			path := filepath.Join(append([]string{dir}, parts...)...)
			if os.MkdirAll(filepath.Dir(path), 0o755) == nil { // a file may stand where a folder would
				_ = os.WriteFile(path, []byte("x\n"), 0o644) // or the other way round
			}
		}
		r, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		whole, err := r.Walk(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		part, err := r.WalkPaths(context.Background(), []string{"a", "a-b", "tokio"})
		if err != nil {
			t.Fatal(err)
		}
		for _, tree := range []*Tree{whole, part} {
			if !slices.IsSortedFunc(tree.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) }) {
				t.Fatalf("seed %d: %v", seed, tree.Files)
			}
		}
		if len(whole.Files) < 10 {
			t.Fatalf("seed %d: only %d files", seed, len(whole.Files))
		}
		r.Close()
	}
}
