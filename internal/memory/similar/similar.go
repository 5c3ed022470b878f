// Package similar compares memories by meaning, with the vectors of an embedder. It stands beside package memory, which
// knows no embedder and compares by words where it is given none.
package similar

import (
	"context"
	"errors"
	"sync"

	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/memory"
)

// maxVectors bounds how many texts' vectors are kept; a vector of the static table takes 1 KB.
const maxVectors = 20_000

// Comparer implements [memory.Similar]. A text is embedded once: its hash finds its vector again. Safe for concurrent
// use.
type Comparer struct {
	embedder embed.Embedder
	mu       sync.Mutex           // guards vectors
	vectors  map[string][]float32 // by memory.Item.Hash
}

// New makes a comparer by the vectors of e.
func New(e embed.Embedder) *Comparer { return &Comparer{embedder: e} }

var _ memory.Similar = (*Comparer)(nil)

// Similar implements memory.Similar.
func (c *Comparer) Similar(ctx context.Context, query string, items []memory.Item) ([]float64, error) {
	q, err := c.embedder.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	if len(q) == 0 {
		return nil, errors.New("the embedder makes no vectors")
	}
	vectors, err := c.of(ctx, items)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(items))
	for i, v := range vectors {
		if len(v) != len(q) {
			return nil, embed.ErrDimensions
		}
		var dot float32
		for k := range v {
			dot += v[k] * q[k]
		}
		out[i] = float64(dot)
	}
	return out, nil
}

// of are the vectors of items, made where they are not known.
func (c *Comparer) of(ctx context.Context, items []memory.Item) ([][]float32, error) {
	out := make([][]float32, len(items))
	var texts []embed.Text
	var at []int
	c.mu.Lock()
	for i := range items {
		if v, ok := c.vectors[items[i].Hash]; ok && items[i].Hash != "" {
			out[i] = v
		} else {
			texts, at = append(texts, embed.Text{Body: items[i].Content}), append(at, i)
		}
	}
	c.mu.Unlock()
	if len(texts) == 0 {
		return out, nil
	}
	made, err := c.embedder.Documents(ctx, texts)
	if err != nil {
		return nil, err
	}
	if len(made) != len(texts) {
		return nil, embed.ErrDimensions
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.vectors == nil || len(c.vectors)+len(made) > maxVectors {
		// all again: it happens rarely, and costs less than an order of use
		c.vectors = make(map[string][]float32, len(made))
	}
	for k, v := range made {
		out[at[k]] = v
		c.vectors[items[at[k]].Hash] = v
	}
	return out, nil
}
