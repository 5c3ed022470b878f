package blob_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/analyze"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/search/blob"
)

// ownFiles are the Go files of this repository, analyzed, and how many bytes they have.
func ownFiles(b *testing.B) (files []*code.File, size int) {
	b.Helper()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".go") {
			return err
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		files, size = append(files, analyze.File(filepath.ToSlash(rel), string(text))), size+len(text)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return files, size
}

// ownBlobs are their feature blobs.
func ownBlobs(b *testing.B) (blobs []string, size int) {
	files, size := ownFiles(b)
	for _, f := range files {
		blobs = append(blobs, string(blob.EncodeFeatures(f)))
	}
	return blobs, size
}

// BenchmarkEncodeFeatures writes all blobs; MB/s is of the source, and bytes/byte how much of its size they take.
func BenchmarkEncodeFeatures(b *testing.B) {
	files, size := ownFiles(b)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	written := 0
	for b.Loop() {
		written = 0
		for _, f := range files {
			written += len(blob.EncodeFeatures(f))
		}
	}
	b.ReportMetric(float64(written)/float64(size), "bytes/byte")
}

// BenchmarkLookup reads all blobs for a question of 12 terms, most of them in few files.
func BenchmarkLookup(b *testing.B) {
	blobs, size := ownBlobs(b)
	var want []code.TermID
	for _, w := range strings.Fields("where are the leases of a worker renew by stale queue claim heartbeat") {
		want = append(want, lexical.Word(w).ID)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	l := blob.NewLookup(want)
	for b.Loop() {
		l.Reset(want)
		for _, packed := range blobs {
			if _, err := l.Read(packed); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkChunkTerms goes through the terms of all blobs for two chunks of each.
func BenchmarkChunkTerms(b *testing.B) {
	blobs, size := ownBlobs(b)
	marks := make([][]uint32, len(blobs))
	for i, packed := range blobs {
		f, err := blob.LookupFeatures(packed, nil)
		if err != nil {
			b.Fatal(err)
		}
		marks[i] = make([]uint32, len(f.Chunks))
		for k := range min(2, len(marks[i])) {
			marks[i][k] = 1 << k
		}
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for i, packed := range blobs {
			if err := blob.ChunkTerms(packed, marks[i], func(code.TermID, uint32) {}); err != nil {
				b.Fatal(err)
			}
		}
	}
}
