package prompt

import (
	"context"
	"crypto/sha256"
	"sync"

	"github.com/contextd/contextd/internal/dedup"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/recent"
)

// maxVectors bounds the vectors that are remembered, of 1 KB each with the embedder in the binary.
const maxVectors = 4096

// vectors remembers those of texts by the hash of their content: of a conversation only the last message is new, and
// memory comes again and again. Those used last stay, between half of maxVectors and all of them.
type vectors struct {
	once sync.Once
	made *recent.Map[[sha256.Size]byte, []float32]
}

// recent are those that are remembered.
func (v *vectors) recent() *recent.Map[[sha256.Size]byte, []float32] {
	v.once.Do(func() { v.made = recent.New[[sha256.Size]byte, []float32](maxVectors/2, nil) })
	return v.made
}

// embedder gives dedup the vectors of texts; nil where nothing makes any.
func (a *Assembler) embedder(ctx context.Context) dedup.Embedder {
	e := a.Embedder
	if e == nil || e.Dims() == 0 {
		return nil
	}
	made := a.vectors.recent()
	return func(texts []string) ([][]float32, error) {
		out, keys := make([][]float32, len(texts)), make([][sha256.Size]byte, len(texts))
		var docs []embed.Text
		var of []int
		for i, t := range texts {
			keys[i] = sha256.Sum256([]byte(t))
			var known bool
			if out[i], known = made.Get(keys[i]); !known {
				docs, of = append(docs, embed.Text{Body: t}), append(of, i)
			}
		}
		if len(docs) == 0 {
			return out, nil
		}
		missing, err := e.Documents(ctx, docs)
		if err != nil {
			return nil, err
		}
		if len(missing) != len(docs) {
			return nil, embed.ErrDimensions
		}
		for k, i := range of {
			out[i] = missing[k]
			made.Put(keys[i], missing[k])
		}
		return out, nil
	}
}
