package session

import (
	"context"
	"errors"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/search"
)

// checker is an index whose parts others may take away: a server that evicts keys.
type checker interface {
	Check(ctx context.Context, project string) error
}

// checkWhole begins to look, beside an answer, whether all of a project's index is still in the store. The function it returns waits
// for that, within the request's deadline, and says what is to be said against the answer; a refresh is asked for then.
func (s *Session) checkWhole(ctx context.Context, req retrieve.Request) func() []retrieve.Reason {
	if s.embedded() {
		return func() []retrieve.Reason { return nil }
	}
	ctx, cancel := context.WithTimeout(ctx, req.Deadline)
	lost := make(chan bool, 1)
	go func() { lost <- s.lost(ctx, req.Target) }()
	return func() []retrieve.Reason {
		defer cancel()
		if !<-lost {
			return nil
		}
		s.Ask(ctx, req.Target.Project, req.Target.Root, nil)
		return []retrieve.Reason{retrieve.IndexMissing}
	}
}

// lost reports whether parts of a project's index are gone. While a run is at it, or about to be, the counts may differ for a moment.
func (s *Session) lost(ctx context.Context, t access.Target) bool {
	index, ok := s.store.Index.(checker)
	for range 2 {
		if !ok || !errors.Is(index.Check(ctx, t.IndexID()), search.ErrNoProject) {
			return false
		}
		if _, any, err := s.waitsFor(ctx, t); err != nil || any {
			return false // what waits is told of by itself
		}
	}
	return true
}
