// Package static is the embedder inside the binary: a table of 38,224 word vectors, learned from public code, and a
// sum.
//
// It is the default of package embed: no model to fetch, no service to run, nothing that leaves the machine. A text's
// vector is the sum, over its distinct words, of sqrt(count) times the word's row, brought to length 1; a text without
// a known word has the zero vector, similar to nothing. Words are the parts of identifiers (words.go); word order does
// not matter. The work is arithmetic in whole numbers, so the same text has the same bits on every machine.
//
// Documents count the words of the body once, the last 8 words of the path 4 times and the words of each defined name 5
// times more: names say what code is for, and paths where to look.
//
// Queries count their words. One of over 40 words that begins with a title, a first line of at most 40, is the mean of
// the title's vector and the whole text's: a long body would drown what the title asks. A long text of one line has no
// title and is taken as it is.
//
// Opening costs nothing, because a process that asks one question is the common case: New reads two headers, and words
// are found through an index of the vocabulary that was made beforehand and lies beside the table.
//
// The file is made elsewhere and is data here; NOTICE.md beside it names the repositories that it was learned from, and
// tools/train/README.md tells how to train another. Its
// format: "CSE1"; rows, dimensions, bits and bytes of vocabulary, a little-endian uint32 each; the words, one newline
// between two; a float32 scale a row; the int8 codes row by row. A row is its scale times its codes. The file
// code-static.index is made from it by "go test -run TestIndexBelongsToTheTable -update" in this folder; index.go tells
// its format.
package static

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed" // the table
	"fmt"
	"strings"
	"sync"

	"github.com/contextd/contextd/internal/embed"
)

// Dims is the length of a vector.
const Dims = 256

// name is the fingerprint of the vectors. A new table or another weight needs a new one; a test holds it to the file.
const name = "static/code-static-20261127"

const (
	pathWords  = 8  // words of a path that count, from its end
	pathWeight = 4  // what an occurrence in the path adds to a word's count
	nameWeight = 5  // what an occurrence in a defined name adds to it
	longQuery  = 40 // words; a longer question gives its title more weight
)

//go:embed code-static.bin
var tableFile []byte

//go:embed code-static.index
var indexFile []byte

// Embedder embeds by the table. Safe for concurrent use; make one with [New] or share [Default].
type Embedder struct {
	name    string
	words   index
	table   table
	scratch sync.Pool // of *scratch
}

var _ embed.Embedder = (*Embedder)(nil)

// New opens the table in the binary. It reads headers only; an error means that the binary was built with another file
// in its place.
func New() (*Embedder, error) {
	t, err := parseTable(tableFile)
	if err != nil {
		return nil, err
	}
	ix, err := parseIndex(indexFile, t)
	if err != nil {
		return nil, err
	}
	return &Embedder{name: name, words: ix, table: t}, nil
}

// Open reads another table of the same format, such as tools/train/table.py writes, and indexes its vocabulary (some
// milliseconds). Its fingerprint is its hash. data must not change while the Embedder is in use.
func Open(data []byte) (*Embedder, error) {
	t, err := parseTable(data)
	if err != nil {
		return nil, err
	}
	if n := bytes.Count(t.words, []byte{'\n'}) + 1; n != t.rows {
		return nil, fmt.Errorf("read embedding table: want a word for each of %d rows (got %d)", t.rows, n)
	}
	ix, err := parseIndex(buildIndex(t), t)
	if err != nil {
		return nil, err
	}
	return &Embedder{name: fmt.Sprintf("static/%.8x", sha256.Sum256(data)), words: ix, table: t}, nil
}

// Default is the Embedder that a process shares, and with it the memory of its identifiers.
var Default = sync.OnceValues(New)

// Name is the fingerprint of the vectors.
func (e *Embedder) Name() string { return e.name }

// Dims is 256.
func (e *Embedder) Dims() int { return Dims }

// Documents embeds chunks, on the calling goroutine. The vectors share one allocation. The only error is ctx's.
func (e *Embedder) Documents(ctx context.Context, texts []embed.Text) ([][]float32, error) {
	s := e.get()
	defer e.scratch.Put(s)
	vectors, flat := make([][]float32, len(texts)), make([]float32, len(texts)*Dims)
	for i := range texts {
		if i%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t := &texts[i]
		s.text(t.Body)
		s.path(t.Path)
		for _, n := range t.Names {
			s.name(n)
		}
		vectors[i] = flat[i*Dims : (i+1)*Dims : (i+1)*Dims]
		s.flush((*[Dims]float32)(vectors[i]))
	}
	return vectors, nil
}

// get returns a scratch without counts.
func (e *Embedder) get() *scratch {
	if s, ok := e.scratch.Get().(*scratch); ok {
		return s
	}
	return newScratch(e.words, e.table)
}

// Query embeds a question. It never fails.
func (e *Embedder) Query(_ context.Context, text string) ([]float32, error) {
	v := make([]float32, Dims)
	whole := (*[Dims]float32)(v)
	if countWords(text, longQuery+1) <= longQuery {
		sum(e.table, e.words.terms(text), whole)
		return v, nil
	}
	s := e.get()
	defer e.scratch.Put(s)
	s.text(text)
	s.flush(whole)
	if t := title(text); t != "" {
		var first [Dims]float32
		sum(e.table, e.words.terms(t), &first)
		mean(whole, &first)
	}
	return v, nil
}

// title is the first line of a question that is not blank, if text follows and it is short enough for a title; else "".
func title(text string) string {
	first, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if strings.TrimSpace(rest) == "" || countWords(first, longQuery+1) > longQuery {
		return ""
	}
	return first
}
