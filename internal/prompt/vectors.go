package prompt

import (
	"context"
	"crypto/sha256"
	"sync"

	"github.com/contextd/contextd/internal/dedup"
	"github.com/contextd/contextd/internal/embed"
)

// maxVectors bounds the vectors that are remembered, of 1 KB each with the embedder in the binary.
const maxVectors = 4096

// vectors remembers those of texts by the hash of their content: of a conversation only the last message is new, and
// memory comes again and again. Those used last stay, between half of maxVectors and all of them.
type vectors struct {
	mu         sync.Mutex // guards both
	young, old map[[sha256.Size]byte][]float32
}

func (v *vectors) get(key [sha256.Size]byte) []float32 {
	v.mu.Lock()
	defer v.mu.Unlock()
	x, ok := v.young[key]
	if !ok {
		if x, ok = v.old[key]; ok {
			v.add(key, x)
		}
	}
	return x
}

func (v *vectors) put(key [sha256.Size]byte, x []float32) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.add(key, x)
}

// add requires that v.mu is held.
func (v *vectors) add(key [sha256.Size]byte, x []float32) {
	if v.young == nil || len(v.young) >= maxVectors/2 {
		v.young, v.old = make(map[[sha256.Size]byte][]float32), v.young
	}
	v.young[key] = x
}

// embedder gives dedup the vectors of texts; nil where nothing makes any.
func (a *Assembler) embedder(ctx context.Context) dedup.Embedder {
	e := a.Embedder
	if e == nil || e.Dims() == 0 {
		return nil
	}
	return func(texts []string) ([][]float32, error) {
		out, keys := make([][]float32, len(texts)), make([][sha256.Size]byte, len(texts))
		var docs []embed.Text
		var of []int
		for i, t := range texts {
			keys[i] = sha256.Sum256([]byte(t))
			if out[i] = a.vectors.get(keys[i]); out[i] == nil {
				docs, of = append(docs, embed.Text{Body: t}), append(of, i)
			}
		}
		if len(docs) == 0 {
			return out, nil
		}
		made, err := e.Documents(ctx, docs)
		if err != nil {
			return nil, err
		}
		if len(made) != len(docs) {
			return nil, embed.ErrDimensions
		}
		for k, i := range of {
			out[i] = made[k]
			a.vectors.put(keys[i], made[k])
		}
		return out, nil
	}
}
