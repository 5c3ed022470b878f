// Package embed turns texts into vectors.
//
// An [Embedder] is chosen by name when a project is indexed; the index remembers it, and queries use that one and no
// other. embed/static, a table of word vectors inside the binary, is the default.
package embed

import (
	"context"

	"github.com/contextd/contextd/internal/code"
)

// Text is one chunk on its way to a vector.
type Text struct {
	Path  code.Path
	Body  string   // the chunk's text
	Names []string // names that the chunk defines
}

// TextsOf are the chunks of a file as an Embedder takes them.
func TextsOf(f *code.File) []Text {
	texts := make([]Text, len(f.Chunks))
	for i := range f.Chunks {
		c := &f.Chunks[i]
		texts[i] = Text{Path: f.Path, Body: c.Text}
		for k := range c.Symbols {
			texts[i].Names = append(texts[i].Names, c.Symbols[k].Name)
		}
	}
	return texts
}

// Embedder makes unit vectors. Safe for concurrent use.
type Embedder interface {
	// Name is the fingerprint of the vectors: texts embedded under different names are never compared.
	Name() string
	// Dims is the length of each vector, 0 for an embedder that makes none.
	Dims() int
	// Documents embeds chunks: one vector of Dims each, in order; a zero vector where nothing is known of a text.
	Documents(ctx context.Context, texts []Text) ([][]float32, error)
	// Query embeds a question.
	Query(ctx context.Context, text string) ([]float32, error)
}

// None is the embedder that makes no vectors: lexical search only.
type None struct{}

// Name is "none".
func (None) Name() string { return "none" }

// Dims is 0.
func (None) Dims() int { return 0 }

// Documents returns nil.
func (None) Documents(context.Context, []Text) ([][]float32, error) { return nil, nil }

// Query returns nil.
func (None) Query(context.Context, string) ([]float32, error) { return nil, nil }
