package local

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/search"
)

// The benchmarks run on made-up files of 5 chunks with about 80 distinct words each, drawn from 30,000 words as
// unevenly as those of source code are, with vectors of 256 dimensions. A chunk stands for chunkSource bytes of source.
const (
	benchChunks = 5
	benchWords  = 80
	benchVocab  = 30_000
	chunkSource = 1200
	benchDims   = 256
)

var vocabulary = sync.OnceValue(func() []code.Term {
	v := make([]code.Term, benchVocab)
	for i := range v {
		v[i] = lexical.Word(fmt.Sprintf("word%d", i))
	}
	return v
})

// zipf draws a word number, small ones often.
func zipf(r *rand.Rand) int { return int(math.Pow(benchVocab, r.Float64())) - 1 }

func benchDoc(i int) search.Document { return benchDocOf(i, benchChunks) }

func benchDocOf(i, chunks int) search.Document {
	r := rand.New(rand.NewPCG(uint64(i), 3))
	p := fmt.Sprintf("pkg%d/dir%d/file%d.go", i%17, i%101, i)
	f := &code.File{Path: p, Language: "go", Lines: chunks * 40}
	d := search.Document{File: f}
	for k := range chunks {
		c := code.AnalyzedChunk{Chunk: code.Chunk{Span: code.Span{Start: k*40 + 1, End: k*40 + 40}}}
		c.Symbols = []code.Symbol{{Name: fmt.Sprintf("Handle%dOf%d", k, i), Kind: code.KindFunc, Line: k*40 + 2, End: k*40 + 30}}
		c.Names = []code.Term{lexical.Name(fmt.Sprintf("handle%dof%d", k, i))}
		seen := map[int]bool{}
		for len(c.Terms) < benchWords {
			w := zipf(r)
			if seen[w] {
				continue
			}
			seen[w] = true
			tf := [code.NumFields]uint16{code.Body: uint16(1 + r.IntN(3)*r.IntN(2))}
			if r.IntN(10) == 0 {
				tf[code.Comment]++
			}
			c.Terms = append(c.Terms, code.TermFreq{Term: vocabulary()[w], TF: tf})
			for n := range tf {
				c.Lens[n] += int(tf[n])
			}
		}
		f.Chunks = append(f.Chunks, c)
		v := make([]float32, benchDims)
		norm := 0.0
		for j := range v {
			v[j] = float32(r.NormFloat64())
			norm += float64(v[j]) * float64(v[j])
		}
		for j := range v {
			v[j] /= float32(math.Sqrt(norm))
		}
		d.Vectors = append(d.Vectors, v)
	}
	d.Entry = search.Entry{Path: p, Size: int64(chunks) * chunkSource, MTime: int64(i), Hash: code.HashOf([]byte(p)), Language: "go"}
	return d
}

func benchSpec() search.Spec {
	return search.Spec{Project: "bench", Root: "/srv/bench", Model: search.Model{Embedder: "static/bench", Dims: benchDims, Analyzer: 1}}
}

// benchIndex is an index of files files in a folder of its own.
func benchIndex(b *testing.B, dir string, files int) { benchIndexOf(b, dir, files, benchChunks) }

func benchIndexOf(b *testing.B, dir string, files, chunks int) {
	b.Helper()
	ix := open(b, dir)
	defer ix.Close()
	w, err := ix.Writer(b.Context(), benchSpec())
	if err != nil {
		b.Fatal(err)
	}
	for i := range files {
		if err := w.Put(b.Context(), benchDocOf(i, chunks)); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := w.Commit(b.Context(), true); err != nil {
		b.Fatal(err)
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}

func benchQuery(i int) search.Query {
	d := benchDoc(1_000_000 + i)
	q := search.Query{Vector: d.Vectors[0], Names: d.File.Chunks[0].Names}
	for k := range 6 {
		q.Words = append(q.Words, d.File.Chunks[0].Terms[k].Term)
	}
	return q
}

// BenchmarkBuild writes 2,000 files into a new index; MB/s is of the source that they stand for.
func BenchmarkBuild(b *testing.B) {
	const files = 2000
	docs := make([]search.Document, files)
	for i := range docs {
		docs[i] = benchDoc(i)
	}
	b.SetBytes(files * benchChunks * chunkSource)
	for b.Loop() {
		ix := open(b, b.TempDir())
		w, err := ix.Writer(b.Context(), benchSpec())
		if err != nil {
			b.Fatal(err)
		}
		for i := range docs {
			if err := w.Put(b.Context(), docs[i]); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := w.Commit(b.Context(), true); err != nil {
			b.Fatal(err)
		}
		w.Close()
		ix.Close()
	}
}

// BenchmarkQuery asks a warm index.
func BenchmarkQuery(b *testing.B) {
	for _, files := range []int{2000, 10_000} {
		b.Run(fmt.Sprintf("chunks=%d", files*benchChunks), func(b *testing.B) {
			dir := b.TempDir()
			benchIndex(b, dir, files)
			queries := make([]search.Query, 32)
			for i := range queries {
				queries[i] = benchQuery(i)
			}
			ix := open(b, dir)
			defer ix.Close()
			i := 0
			for b.Loop() {
				query(b, ix, queries[i%len(queries)])
				i++
			}
		})
	}
}

func query(b *testing.B, ix *Index, q search.Query) {
	b.Helper()
	snap, err := ix.Open(b.Context(), "bench")
	if err != nil {
		b.Fatal(err)
	}
	n, err := snap.Nominate(b.Context(), q)
	if err != nil || len(n.Files) == 0 {
		b.Fatal(err, n)
	}
	snap.Close()
}

// BenchmarkOneShot opens an index, asks it once and closes it, as a command does; writer: it takes the write lock first
// and finds nothing to do.
func BenchmarkOneShot(b *testing.B) {
	for _, files := range []int{2000, 10_000} {
		b.Run(fmt.Sprintf("chunks=%d", files*benchChunks), func(b *testing.B) {
			dir := b.TempDir()
			benchIndex(b, dir, files)
			q := benchQuery(1)
			for b.Loop() {
				ix := open(b, dir)
				w, err := ix.Writer(b.Context(), benchSpec())
				if err != nil {
					b.Fatal(err)
				}
				w.Entries()
				w.Close()
				query(b, ix, q)
				ix.Close()
			}
		})
	}
}

// BenchmarkCommitOne changes one file of 10,000, and of 100,000 of one chunk.
func BenchmarkCommitOne(b *testing.B) {
	for _, size := range []struct{ files, chunks int }{{10_000, benchChunks}, {100_000, 1}} {
		b.Run(fmt.Sprintf("files=%d", size.files), func(b *testing.B) {
			dir := b.TempDir()
			benchIndexOf(b, dir, size.files, size.chunks)
			ix := open(b, dir)
			defer ix.Close()
			cpu, n := time.Duration(0), 0
			for b.Loop() {
				began := cpuTime()
				commitOne(b, ix, 77+n*7%size.files, size.chunks)
				cpu += cpuTime() - began
				n++
			}
			b.ReportMetric(cpu.Seconds()*1000/float64(n), "cpu-ms/op")
		})
	}
}

func commitOne(b *testing.B, ix *Index, i, chunks int) {
	b.Helper()
	w, err := ix.Writer(b.Context(), benchSpec())
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	if err := w.Put(b.Context(), benchDocOf(i, chunks)); err != nil {
		b.Fatal(err)
	}
	if _, err := w.Commit(b.Context(), true); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkProjects lists 1,000 projects.
func BenchmarkProjects(b *testing.B) {
	ix := open(b, b.TempDir())
	for i := range 1000 {
		sp := benchSpec()
		sp.Project = fmt.Sprintf("p%d", i)
		w, err := ix.Writer(b.Context(), sp)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := w.Commit(b.Context(), true); err != nil {
			b.Fatal(err)
		}
		w.Close()
	}
	for b.Loop() {
		if list, err := ix.Projects(b.Context()); err != nil || len(list) != 1000 {
			b.Fatal(len(list), err)
		}
	}
}

// BenchmarkWarmReader reports what a loaded project of 50,000 chunks holds on the heap.
func BenchmarkWarmReader(b *testing.B) {
	dir := b.TempDir()
	benchIndex(b, dir, 10_000)
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		ix := open(b, dir)
		snap, err := ix.Open(b.Context(), "bench")
		if err != nil {
			b.Fatal(err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "heapMB")
		var mapped int64
		for _, s := range snap.(*snapshot).st.segs {
			mapped += s.ref.size
		}
		b.ReportMetric(float64(mapped)/1e6, "mappedMB")
		snap.Close()
		ix.Close()
	}
}

// BenchmarkNames nominates from 1,000 files by their names alone.
func BenchmarkNames(b *testing.B) {
	dir := b.TempDir()
	benchIndex(b, dir, 1000)
	ix, err := Open(Options{Dir: dir, Mode: search.Names})
	if err != nil {
		b.Fatal(err)
	}
	defer ix.Close()
	snap, err := ix.Open(b.Context(), "bench")
	if err != nil {
		b.Fatal(err)
	}
	defer snap.Close()
	var q search.Query
	for _, w := range []string{"where", "is", "dir3", "file17", "pkg4", "file"} {
		q.Words, q.Names = append(q.Words, lexical.Word(w)), append(q.Names, lexical.FileName(w))
	}
	for b.Loop() {
		if n, err := snap.Nominate(b.Context(), q); err != nil || len(n.Files) != 100 {
			b.Fatal(err, len(n.Files))
		}
	}
}
