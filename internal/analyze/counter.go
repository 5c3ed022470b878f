package analyze

import (
	"path"
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
)

// counter counts the terms of one chunk after another. Terms are numbered densely, so a slot per term and the number of
// the chunk it was last seen in stand for a map that is emptied for each chunk.
type counter struct {
	words *lexical.Interner
	chunk uint32   // number of the current chunk; never 0
	seen  []uint32 // by term: the chunk it was last counted in
	slot  []int32  // by term: its place in freqs
	freqs []code.TermFreq
	lens  [code.NumFields]int
}

func newCounter() *counter { return &counter{words: lexical.NewInterner()} }

func (c *counter) begin() {
	c.chunk++
	if c.chunk == 0 { // wrapped: old marks could be taken for new ones
		clear(c.seen)
		c.chunk = 1
	}
	c.freqs = c.freqs[:0]
	c.lens = [code.NumFields]int{}
}

func (c *counter) end() ([]code.TermFreq, [code.NumFields]int) {
	return append(make([]code.TermFreq, 0, len(c.freqs)), c.freqs...), c.lens
}

func (c *counter) count(terms []int32, f code.Field) {
	if n := c.words.Len(); n > len(c.seen) {
		c.seen = append(c.seen, make([]uint32, n-len(c.seen))...)
		c.slot = append(c.slot, make([]int32, n-len(c.slot))...)
	}
	c.lens[f] += len(terms)
	for _, t := range terms {
		if c.seen[t] != c.chunk {
			c.seen[t] = c.chunk
			c.slot[t] = int32(len(c.freqs))
			c.freqs = append(c.freqs, code.TermFreq{Term: c.words.Term(t)})
		}
		if tf := &c.freqs[c.slot[t]].TF[f]; *tf < 1<<16-1 {
			*tf++
		}
	}
}

// text counts the words of a chunk's text as Body or, within the comments, Comment.
func (c *counter) text(text string, comments [][2]int) {
	if i := strings.IndexByte(text, '\n'); len(text) > MaxLine && (i < 0 || i == len(text)-1) { // one long line
		text = text[:MaxLine]
	}
	next := 0
	for i := 0; ; {
		start, end := lexical.NextIdent(text, i)
		if start == len(text) {
			return
		}
		for next < len(comments) && comments[next][1] <= start {
			next++
		}
		f := code.Body
		if next < len(comments) && comments[next][0] <= start {
			f = code.Comment
		}
		c.count(c.words.Ident(text[start:end]), f)
		i = end
	}
}

// field counts the words of a short text.
func (c *counter) field(text string, f code.Field) {
	c.count(c.idents(nil, text), f)
}

// idents appends the terms of all identifiers of text.
func (c *counter) idents(terms []int32, text string) []int32 {
	for i := 0; ; {
		start, end := lexical.NextIdent(text, i)
		if start == len(text) {
			return terms
		}
		terms = append(terms, c.words.Ident(text[start:end])...)
		i = end
	}
}

// path returns the terms of a file's place: its directories, its stem and, for a generic name, that name too.
func (c *counter) path(p code.Path) []int32 {
	var terms []int32
	for _, d := range lexical.Dirs(p) {
		terms = c.idents(terms, d)
	}
	base := path.Base(p)
	if i := strings.LastIndexByte(base, '.'); i > 0 {
		base = base[:i]
	}
	return c.idents(terms, base)
}
