package searchtest

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"path"
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/search"
)

// Doc makes a document as analyze and embed would, of chunks given as lines of words: a word counts in Body, "#word" in
// Comment, "@name" is a function defined there (a word of Defs and a look-up name). A chunk's vector follows from its
// words.
func Doc(p code.Path, lang string, chunks ...string) search.Document {
	f := &code.File{Path: p, Language: lang}
	line := 1
	for i, text := range chunks {
		c := code.AnalyzedChunk{Chunk: code.Chunk{Span: code.Span{Start: line, End: line}, Text: text + "\n"}}
		at := map[string]int{}
		for _, w := range strings.Fields(text) {
			field := code.Body
			switch w[0] {
			case '#':
				field, w = code.Comment, w[1:]
			case '@':
				field, w = code.Defs, w[1:]
				c.Symbols = append(c.Symbols, code.Symbol{Name: w, Kind: code.KindFunc, Line: line, End: line})
				c.Names = append(c.Names, lexical.Name(w))
			}
			k, ok := at[w]
			if !ok {
				k = len(c.Terms)
				at[w] = k
				c.Terms = append(c.Terms, code.TermFreq{Term: lexical.Word(w)})
			}
			c.Terms[k].TF[field]++
			c.Lens[field]++
		}
		if i == 0 {
			c.Names = append(c.Names, fileName(p))
		}
		f.Chunks = append(f.Chunks, c)
		line++
	}
	f.Lines = line - 1
	d := search.Document{File: f, Entry: search.Entry{Path: p, Size: int64(len(strings.Join(chunks, "\n")) + 1), MTime: 1_700_000_000_123_456_789,
		CTime: 1_700_000_001_000_000_001, Inode: 1<<63 + 17, Hash: code.HashOf([]byte(strings.Join(chunks, "\n"))), SeenAt: 1_700_000_002_000_000_002,
		Language: lang, Chunks: len(chunks), Lens: f.Lens()}}
	for _, text := range chunks {
		d.Vectors = append(d.Vectors, vectorOf(text))
	}
	return d
}

// fileName is the look-up term of a file's stem.
func fileName(p code.Path) code.Term { return lexical.FileName(lexical.Join(lexical.FileStem(p))) }

func stem(p code.Path) string {
	base := path.Base(p)
	return strings.TrimSuffix(base, path.Ext(base))
}

// vectorOf is a unit vector that follows from a text.
func vectorOf(text string) []float32 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	v := make([]float32, dims)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return unit(v)
}

func unit(v []float32) []float32 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
	return v
}

// skipped is the entry of a file that was read and left out.
func skipped(p code.Path, why code.Reason, detail string) search.Entry {
	return search.Entry{Path: p, Size: 77, MTime: 5, CTime: 6, Inode: 7, Hash: code.HashOf([]byte(p)), SeenAt: 8, Skip: why, Detail: detail}
}

func words(list ...string) []code.Term {
	var terms []code.Term
	for _, w := range list {
		terms = append(terms, lexical.Word(w))
	}
	return terms
}

// harbour is a small project whose files can be told apart by words, names and vectors.
func harbour() []search.Document {
	return []search.Document{
		Doc("berth/assign.go", "go", "package berth", "@AssignBerth ship berth tonnage", "@freeBerth berth #release"),
		Doc("berth/queue.go", "go", "@waitingShips ship queue ship ship"),
		Doc("tolls/toll_calculator.py", "python", "@compute_toll tonnage rate #unpaid", "rate rate table"),
		Doc("docs/harbour.md", "markdown", "the harbour has berth and lamp"),
		Doc("lamp/keeper.rs", "rust", "@Keeper lamp light", "@light_lamp lamp oil"),
	}
}

func numbered(n int) string { return fmt.Sprintf("f%04d", n) }
