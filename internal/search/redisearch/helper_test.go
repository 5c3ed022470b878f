package redisearch

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/search"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const dims = 16

var model = search.Model{Embedder: "test", Dims: dims, Analyzer: 1}

// newIndex opens an Index on a server of a kind.
func newIndex(t testing.TB, kind rdbtest.Kind) (*Index, *rdbtest.Server) {
	t.Helper()
	s := rdbtest.Start(t, kind)
	return openIndex(t, s, "auto"), s
}

func openIndex(t testing.TB, s *rdbtest.Server, mode string) *Index {
	t.Helper()
	x, err := Open(Options{URL: s.URL, Prefix: s.Prefix, Mode: mode})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

// source makes a document: one chunk a text, with a vector drawn from its text.
func source(path string, texts ...string) search.Document {
	f := &code.File{Path: path, Language: "go"}
	if strings.HasSuffix(path, ".py") {
		f.Language = "python"
	}
	line := 1
	doc := search.Document{File: f, Entry: search.Entry{Path: path, Hash: code.HashOf([]byte(strings.Join(texts, ""))), Language: f.Language}}
	for i, text := range texts {
		n := strings.Count(text, "\n") + 1
		c := code.AnalyzedChunk{Chunk: code.Chunk{Span: code.Span{Start: line, End: line + n - 1}, Text: text + "\n"}}
		line += n
		tf := map[string]*code.TermFreq{}
		var order []string
		for from := 0; ; {
			start, end := lexical.NextIdent(text, from)
			if start >= len(text) {
				break
			}
			lexical.Words(text[start:end], func(w string) {
				if tf[w] == nil {
					tf[w] = &code.TermFreq{Term: lexical.Word(w)}
					order = append(order, w)
				}
				tf[w].TF[code.Body]++
				c.Lens[code.Body]++
			})
			if name := text[start:end]; strings.HasPrefix(text[:start], "func ") && start == 5 {
				c.Names = append(c.Names, lexical.Name(lexical.Join(name)))
			}
			from = end
		}
		for _, w := range order {
			c.Terms = append(c.Terms, *tf[w])
		}
		if i == 0 {
			c.Names = append(c.Names, lexical.FileName(lexical.Join(lexical.FileStem(path))))
		}
		f.Chunks = append(f.Chunks, c)
		doc.Vectors = append(doc.Vectors, vectorOf(text, dims))
		doc.Entry.Size += int64(len(text) + 1)
	}
	f.Lines = line - 1
	return doc
}

// vectorOf is a unit vector that depends on a text.
func vectorOf(text string, dims int) []float32 {
	h := fnv.New64a()
	h.Write([]byte(text))
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	v := make([]float32, dims)
	var sum float64
	for i := range v {
		v[i] = float32(r.NormFloat64())
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

func query(text string) search.Query {
	var q search.Query
	for from := 0; ; {
		start, end := lexical.NextIdent(text, from)
		if start >= len(text) {
			return q
		}
		lexical.Words(text[start:end], func(w string) {
			if t := lexical.Word(w); !slices.Contains(q.Words, t) {
				q.Words = append(q.Words, t)
			}
		})
		name := lexical.Join(text[start:end])
		q.Names = append(q.Names, lexical.Name(name), lexical.FileName(name))
		from = end
	}
}

func writerOf(t testing.TB, x *Index, spec search.Spec) *writer {
	t.Helper()
	if spec.Project == "" {
		spec.Project = "p"
	}
	if spec.Root == "" {
		spec.Root = "/srv/p"
	}
	if spec.Model == (search.Model{}) {
		spec.Model = model
	}
	w, err := x.Writer(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w.(*writer)
}

// put writes documents through one writer and commits.
func put(t testing.TB, x *Index, spec search.Spec, docs ...search.Document) search.Project {
	t.Helper()
	w := writerOf(t, x, spec)
	return putThrough(t, w, docs)
}

// putExpected is put as a refresh does it: the writer is told beforehand how much there will be.
func putExpected(t testing.TB, x *Index, spec search.Spec, docs ...search.Document) search.Project {
	t.Helper()
	w := writerOf(t, x, spec)
	bytes := int64(0)
	for _, d := range docs {
		bytes += d.Entry.Size
	}
	w.Expect(bytes)
	return putThrough(t, w, docs)
}

func putThrough(t testing.TB, w search.Writer, docs []search.Document) search.Project {
	t.Helper()
	for _, d := range docs {
		if err := w.Put(context.Background(), d); err != nil {
			t.Fatal(err)
		}
	}
	p := commit(t, w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return p
}

func commit(t testing.TB, w search.Writer) search.Project {
	t.Helper()
	p, err := w.Commit(context.Background(), true)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ask nominates and returns the paths in order of name.
func ask(t testing.TB, x *Index, q search.Query) (paths []string, n *search.Nominees) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	s, err := x.Open(ctx, "p")
	if err != nil {
		t.Fatal(err)
	}
	n, err = s.Nominate(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range n.Files {
		paths = append(paths, c.Entry.Path)
	}
	slices.Sort(paths)
	return paths, n
}

func want(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
