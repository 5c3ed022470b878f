package redisearch

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/search"
)

const benchDims = 256

// corpus makes files of 10 chunks with 80 words each, drawn so that some are common and most are rare.
func corpus(files int) []search.Document {
	r := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(r, 1.1, 4, 20_000)
	docs := make([]search.Document, files)
	for i := range docs {
		texts := make([]string, 10)
		for k := range texts {
			var b strings.Builder
			fmt.Fprintf(&b, "func name%dof%d", k, i)
			for range 80 {
				fmt.Fprintf(&b, " word%c%d", 'a'+rune(r.IntN(26)), zipf.Uint64())
			}
			texts[k] = b.String()
		}
		docs[i] = source(fmt.Sprintf("dir%d/sub%d/file%d.go", i%7, i%31, i), texts...)
		for k, text := range texts {
			docs[i].Vectors[k] = vectorOf(text, benchDims)
		}
	}
	return docs
}

func benchIndex(b *testing.B, files int) *Index {
	x, _ := newIndex(b, rdbtest.Search)
	put(b, x, search.Spec{Model: search.Model{Embedder: "b", Dims: benchDims, Analyzer: 1}}, corpus(files)...)
	return x
}

func BenchmarkNominate(b *testing.B) {
	for _, files := range []int{200, 1000} {
		b.Run(fmt.Sprintf("chunks=%d", files*10), func(b *testing.B) {
			x := benchIndex(b, files)
			ctx := context.Background()
			s, err := x.Open(ctx, "p")
			if err != nil {
				b.Fatal(err)
			}
			q := query("wordA1 wordB2 wordC30 wordD400 name3of17")
			q.Vector = vectorOf("question", benchDims)
			b.Run("nominate", func(b *testing.B) {
				for b.Loop() {
					if n, err := s.Nominate(ctx, q); err != nil || n.Partial || len(n.Files) != 100 {
						b.Fatal(err, n)
					}
				}
			})
			rec := s.(*snapshot).record()
			b.Run("bare-text", func(b *testing.B) {
				for b.Loop() {
					if err := x.readClient.Do(ctx, textArgs(rec.idx, "", anyOf(q.Words, 4096), textHits, true, 1000)...).Err(); err != nil {
						b.Fatal(err)
					}
				}
			})
			sent := commandsOf(b, x, q)
			b.Run("bare-all", func(b *testing.B) { // all that a nomination sends, one by one
				for b.Loop() {
					for _, args := range sent {
						if err := x.readClient.Do(ctx, args...).Err(); err != nil {
							b.Fatal(err)
						}
					}
				}
			})
			b.Run("bare-knn", func(b *testing.B) {
				v := wide.vector(q.Vector)
				for b.Loop() {
					if err := x.readClient.Do(ctx, vectorArgs(rec.idx, "", v, vectorHits, 1000)...).Err(); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}

func BenchmarkBuild(b *testing.B) {
	docs := corpus(500)
	x, _ := newIndex(b, rdbtest.Search)
	began := time.Now()
	for b.Loop() {
		put(b, x, search.Spec{Full: true, Model: search.Model{Embedder: "b", Dims: benchDims, Analyzer: 1}}, docs...)
	}
	b.ReportMetric(float64(b.N)*5000/time.Since(began).Seconds(), "chunks/s")
}

func BenchmarkChange(b *testing.B) {
	docs := corpus(500)
	x, _ := newIndex(b, rdbtest.Search)
	m := search.Model{Embedder: "b", Dims: benchDims, Analyzer: 1}
	put(b, x, search.Spec{Model: m}, docs...)
	n := 0
	began := time.Now()
	for b.Loop() {
		n++
		changed := make([]search.Document, 0, 100)
		for _, d := range docs[:100] {
			for k := range d.File.Chunks {
				d.File.Chunks[k].Text = fmt.Sprintf("%d of round %d\n", k, n) // another text, so another chunk
			}
			changed = append(changed, d)
		}
		put(b, x, search.Spec{Model: m}, changed...)
	}
	b.ReportMetric(float64(n)*1000/time.Since(began).Seconds(), "chunks/s")
}

// BenchmarkNames asks a project of 1,000 files by names alone: the whole, its round trip for the name index, and the
// matching in process.
func BenchmarkNames(b *testing.B) {
	x, _ := newIndex(b, rdbtest.Plain)
	put(b, x, search.Spec{Model: search.Model{Embedder: "b", Dims: benchDims, Analyzer: 1}}, corpus(1000)...)
	ctx := context.Background()
	s, err := x.Open(ctx, "p")
	if err != nil {
		b.Fatal(err)
	}
	q := query("sub3 file17 dir2 where is it")
	q.Files = 100
	rec := s.(*snapshot).record()
	names := x.readClient.HGetAll(ctx, x.keys.names(rec.ID, rec.ver)).Val()
	if len(names) != 1000 {
		b.Fatalf("%d names", len(names))
	}
	b.Run("nominate", func(b *testing.B) {
		for b.Loop() {
			if n, err := s.Nominate(ctx, q); err != nil || len(n.Files) != 100 {
				b.Fatal(err, n)
			}
		}
	})
	b.Run("round-trip", func(b *testing.B) {
		for b.Loop() {
			if err := x.readClient.HGetAll(ctx, x.keys.names(rec.ID, rec.ver)).Err(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("match", func(b *testing.B) {
		for b.Loop() {
			if paths, _ := matchNames(names, q, func(string, string) bool { return true }, 100); len(paths) != 100 {
				b.Fatal(len(paths))
			}
		}
	})
}
