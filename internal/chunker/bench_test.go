package chunker_test

import (
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/chunker"
)

// BenchmarkSplit measures each language on its golden file, repeated to about 200 KB.
func BenchmarkSplit(b *testing.B) {
	for _, s := range corpus(b) {
		if s.src == "" {
			continue
		}
		src := strings.Repeat(s.src, 200_000/len(s.src)+1)
		b.Run(strings.TrimSuffix(strings.TrimPrefix(s.file, "testdata/"), ".txtar"), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				chunker.Split(s.path, s.language, src)
			}
		})
	}
}
