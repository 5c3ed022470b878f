package static

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/embed"
)

// source cuts the Go files of a tree (CONTEXTD_BENCH_TREE, else this module) into chunks of about 1,500 bytes.
func source(b *testing.B) (texts []embed.Text, size int64) {
	root := os.Getenv("CONTEXTD_BENCH_TREE")
	if root == "" {
		root = "../../.."
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || size > 16<<20 {
			return err
		}
		data, err := os.ReadFile(path)
		text := string(data)
		for len(text) > 0 {
			n := len(text)
			if n > 1500 {
				n = 1 + strings.LastIndexByte(text[:1500], '\n')
				if n == 0 {
					n = 1500
				}
			}
			texts = append(texts, embed.Text{Path: filepath.ToSlash(path), Body: text[:n],
				Names: []string{"NewReader"}})
			size += int64(n)
			text = text[n:]
		}
		return err
	})
	if err != nil || len(texts) == 0 {
		b.Fatalf("no source below %q: %v", root, err)
	}
	return texts, size
}

func BenchmarkDocuments(b *testing.B) {
	texts, size := source(b)
	e := fresh(b)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Documents(context.Background(), texts); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCount is the part of Documents that reads text.
func BenchmarkCount(b *testing.B) {
	texts, size := source(b)
	s := fresh(b).get()
	b.SetBytes(size)
	for b.Loop() {
		for i := range texts {
			s.text(texts[i].Body)
			for _, t := range s.terms {
				s.count[t.row] = 0
			}
			s.terms = s.terms[:0]
		}
	}
}

func BenchmarkSum(b *testing.B) {
	e := fresh(b)
	terms := make([]term, 100)
	for i := range terms {
		terms[i] = term{uint32(37 * i), 2}
	}
	var v [Dims]float32
	for b.Loop() {
		sum(e.table, terms, &v)
	}
}

// BenchmarkQueryCold is what a process pays that asks one question.
func BenchmarkQueryCold(b *testing.B) {
	for name, text := range map[string]string{"word": "retry", "unknown": "zzqxv",
		"question": "where is the signature of an expired token verified before the request is retried"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				query(b, fresh(b), text)
			}
		})
	}
}
