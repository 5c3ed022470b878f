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
	lost := make(chan bool, 1)
	go func() { lost <- k.lost(ctx, l.target) }()
	return func() []Note {
		defer cancel()
		if !<-lost {
			return nil
		}
		k.Ask(ctx, l.target.Project, l.target.Root, nil)
		return []Note{Lost}
	}
}

// lost reports whether parts of a project's index are gone. While a run is at it, or about to be, the counts may differ
// for a moment.
func (k *Keeper) lost(ctx context.Context, t access.Target) bool {
	index, ok := k.store.Index.(checker)
	for range 2 {
		if !ok || !errors.Is(index.Check(ctx, t.IndexID()), search.ErrNoProject) {
			return false
		}
		if _, any, err := k.waitsFor(ctx, t); err != nil || any {
			return false // what waits is told of by itself
		}
	}
	return true
}
