package session

import (
	"context"
	"errors"
	"sync"

	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/memory"
)

// maxVectors bounds how many texts' vectors are kept; a vector of the static table takes 1 KB.
const maxVectors = 20_000

// similar compares memories by meaning. A text is embedded once: its hash finds its vector again.
type similar struct {
	embedder embed.Embedder
	mu       sync.Mutex           // guards vectors
	vectors  map[string][]float32 // by memory.Item.Hash
}

// Similar implements memory.Similar.
func (s *similar) Similar(ctx context.Context, query string, items []memory.Item) ([]float64, error) {
	q, err := s.embedder.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	if len(q) == 0 {
		return nil, errors.New("the embedder makes no vectors")
	}
	vectors, err := s.of(ctx, items)
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
func (s *similar) of(ctx context.Context, items []memory.Item) ([][]float32, error) {
	out := make([][]float32, len(items))
	var texts []embed.Text
	var at []int
	s.mu.Lock()
	for i := range items {
		if v, ok := s.vectors[items[i].Hash]; ok && items[i].Hash != "" {
			out[i] = v
		} else {
			texts, at = append(texts, embed.Text{Body: items[i].Content}), append(at, i)
		}
	}
	s.mu.Unlock()
	if len(texts) == 0 {
		return out, nil
	}
	made, err := s.embedder.Documents(ctx, texts)
	if err != nil {
		return nil, err
	}
	if len(made) != len(texts) {
		return nil, embed.ErrDimensions
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.vectors == nil || len(s.vectors)+len(made) > maxVectors {
		s.vectors = make(map[string][]float32, len(made)) // all again: it happens rarely, and costs less than an order of use
	}
	for k, v := range made {
		out[at[k]] = v
		s.vectors[items[at[k]].Hash] = v
	}
	return out, nil
}
