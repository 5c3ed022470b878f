package freshness

import (
	"context"
	"errors"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/search"
)

// checker is an index whose parts others may take away: a server that evicts keys.
type checker interface {
	Check(ctx context.Context, project string) error
}

// Whole begins to look, beside an answer, whether all of the index is still in the store. The function it returns waits
// for that, within what is left of the deadline, and says what is to be said against the answer; a refresh is asked for
// then.
func (l *Look) Whole(ctx context.Context) func() []Note {
	k := l.keeper
	if k.embedded() {
		return func() []Note { return nil }
	}
	ctx, cancel := context.WithTimeout(ctx, l.Left())
	lost := make(chan []Note, 1)
	go func() { lost <- k.lost(ctx, l.target) }()
	return func() []Note {
		defer cancel()
		notes := <-lost
		if notes != nil {
			k.Ask(ctx, l.target.Project, l.target.Root, nil)
		}
		return notes
	}
}

// lost says what of a project's index is gone, nil for nothing. While a run is at it, or about to be, the counts may
// differ for a moment.
func (k *Keeper) lost(ctx context.Context, t access.Target) (notes []Note) {
	index, ok := k.store.Index.(checker)
	for range 2 {
		if !ok {
			return nil
		}
		switch err := index.Check(ctx, t.IndexID()); {
		case errors.Is(err, search.ErrNoProject):
			notes = []Note{Lost}
		case errors.Is(err, search.ErrVectorsLost):
			notes = []Note{VectorsLost}
		default:
			return nil
		}
		if _, any, err := k.waitsFor(ctx, t); err != nil || any {
			return nil // what waits is told of by itself
		}
	}
	return notes
}
