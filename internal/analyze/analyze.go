// Package analyze turns the text of a file into what the index keeps of it: chunks with counted words, field by field,
// symbols and look-up names.
//
// ingest calls it for each new or changed file, retrieve for a file that has changed since it was indexed. It is pure:
// the same path and text give the same code.File, whoever asks.
package analyze

import (
	"context"
	"strings"
	"sync"

	"github.com/contextd/contextd/internal/chunker"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lang"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/notebook"
)

// Version names what File makes of a text and how blob.EncodeFeatures writes it. It grows whenever the same text gives
// other chunks, terms or symbols, or another blob: indexes of different versions are never mixed.
const Version = 6

// headBytes is how much of a file its language is told from where its name does not tell.
const headBytes = 4096

// MaxLine is how many bytes of a line that is a chunk of its own are searched.
const MaxLine = 4000

var counters = sync.Pool{New: func() any { return newCounter() }}

// File analyzes text, which is valid UTF-8 with "\n" line ends.
func File(path code.Path, text string) *code.File {
	f, _ := FileWithin(context.Background(), path, text)
	return f
}

// FileWithin is File until its context is over: then there is no file and the error says so.
func FileWithin(ctx context.Context, path code.Path, text string) (*code.File, error) {
	c := counters.Get().(*counter)
	defer counters.Put(c)
	c.words.Reset()

	head := text[:min(len(text), headBytes)]
	f := &code.File{Path: path, Language: lang.Of(path, head), Lines: lines(text)}
	split, err := chunker.SplitWithin(ctx, path, f.Language, text)
	if err != nil {
		return nil, err
	}
	isNotebook := strings.HasSuffix(strings.ToLower(path), notebook.Ext) && notebook.Language(head) != ""
	if isNotebook {
		addCells(path, f.Language, split)
	}
	f.Chunks = make([]code.AnalyzedChunk, len(split))
	f.Umbrella = !isNotebook && isUmbrella(f.Language, split)
	place := c.path(path)
	for i := range split {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		a := &f.Chunks[i]
		a.Chunk = split[i]
		c.begin()
		c.text(a.Text, a.Comments)
		for k := range a.Symbols {
			if !isNotebook || !isCell(&a.Symbols[k]) { // the number of a cell says nothing of what is in it
				c.field(a.Symbols[k].Name, code.Defs)
			}
		}
		for _, name := range a.Scope {
			c.field(name, code.Context)
		}
		c.count(place, code.Context)
		a.Terms, a.Lens = c.end()
		a.Names = lookupTerms(a, path, i == 0)
	}
	return f, nil
}

func lines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// lookupTerms are the look-up terms of a chunk: the names it defines, whole, and for the first one the file's stem.
func lookupTerms(a *code.AnalyzedChunk, path code.Path, first bool) []code.Term {
	var out []code.Term
	seen := make(map[string]bool, len(a.Symbols)+1)
	add := func(t code.Term) {
		if len(t.Text) > 1 && len(t.Text) <= lexical.MaxIdent && !seen[t.Text] {
			seen[t.Text] = true
			out = append(out, t)
		}
	}
	for k := range a.Symbols {
		if a.Symbols[k].Kind != code.KindSection {
			add(lexical.Name(lexical.Key(a.Symbols[k].Name)))
		}
	}
	if first {
		add(lexical.FileName(lexical.Join(lexical.FileStem(path))))
	}
	return out
}
