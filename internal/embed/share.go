package embed

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
)

// Key names a vector by what it was made of and by whom. It tells neither text nor path nor project: only who has the
// text finds it.
type Key [sha256.Size]byte

// KeyOf is the key of a text's vector of an embedder's name and dimensions. Each part stands behind its length, so that
// no two texts of different parts meet.
func KeyOf(name string, dims int, t Text) Key {
	h := sha256.New()
	var n [8]byte
	part := func(s string) {
		binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	binary.LittleEndian.PutUint64(n[:], uint64(dims))
	h.Write(n[:])
	part(name)
	part(t.Path)
	part(t.Body)
	for _, s := range t.Names {
		part(s)
	}
	return Key(h.Sum(nil))
}

// Vectors keeps the vectors of texts for whoever brings the same text next: another sandbox of the project, or an index
// that is made again. It may forget any of them at any time. Safe for concurrent use.
type Vectors interface {
	// Get returns the vector of each key, nil for those that it does not have.
	Get(ctx context.Context, keys []Key) ([][]float32, error)
	// Put keeps vectors.
	Put(ctx context.Context, keys []Key, vectors [][]float32) error
}
