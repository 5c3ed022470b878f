package chunker_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/chunker"
)

// FuzzSplit holds the promises of Split on any text in any language.
func FuzzSplit(f *testing.F) {
	names := chunker.Names()
	for i, name := range names {
		for _, archive := range corpus(f) {
			if archive.language == name {
				f.Add(i, archive.src)
			}
		}
		f.Add(i, "x\n\"'`/* <<EOF // -- # {- \"\"\" r#\" @\" ~s( %w[ $( ${ #{\n{([<\n")
	}
	f.Fuzz(func(t *testing.T, i int, src string) {
		src = strings.ReplaceAll(src, "\r\n", "\n")
		name := names[uint(i)%uint(len(names))]
		chunks := chunker.Split("a/b", name, src)
		check(t, src, chunks)
		for k, c := range chunker.Split("a/b", name, src) {
			if c.Text != chunks[k].Text || !slices.Equal(c.Symbols, chunks[k].Symbols) {
				t.Fatalf("two splits differ")
			}
		}
	})
}
