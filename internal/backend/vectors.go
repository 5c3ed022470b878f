package backend

import (
	"context"

	"github.com/contextd/contextd/internal/embed"
)

// vectorsFile keeps the vectors that indexes share on the embedded backing.
const vectorsFile = "vectors.db"

// vectorsShare: the vectors that indexes share take at most one part in so many of MaxStateBytes, beside it.
const vectorsShare = 20

// sharedVectors is what indexes share.
type sharedVectors interface {
	embed.Vectors
	Drop(ctx context.Context) error
	Close() error
}

// Vectors are those that servers made for any index of this store, by their texts (see package vectors). Nothing is
// opened before the first is asked for.
func (b *Backend) Vectors() embed.Vectors { return b.vectors }

// DropVectors forgets them: with all indexes, or before anything goes that is harder to make again.
func (b *Backend) DropVectors(ctx context.Context) {
	if err := b.vectors.Drop(ctx); err != nil {
		b.opts.Log.Debug("shared vectors not dropped", "error", err)
	}
}
