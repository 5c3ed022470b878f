package local

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

// errClosed is returned by a Snapshot after Close.
var errClosed = errors.New("the snapshot is closed")

// snapshot is one user of a state.
type snapshot struct {
	ix      *Index
	st      *state
	project search.Project
	mu      sync.Mutex
	closed  bool // guarded by mu
}

// acquire keeps the mappings from going while a method runs; the caller calls done.
func (s *snapshot) acquire() (done func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	s.ix.cache.retainState(s.st)
	return func() { s.ix.cache.releaseState(s.st) }, nil
}

func (s *snapshot) Project() search.Project { return s.project }

func (s *snapshot) Entries(ctx context.Context) ([]search.Entry, error) {
	return slices.Clone(s.st.entries), ctx.Err()
}

func (s *snapshot) Paths(ctx context.Context) ([]code.Path, error) {
	paths := make([]code.Path, len(s.st.entries))
	for i := range s.st.entries {
		paths[i] = s.st.entries[i].Path
	}
	return paths, ctx.Err()
}

func (s *snapshot) Entry(ctx context.Context, path code.Path) (search.Entry, bool, error) {
	i, ok := s.st.find(path)
	if !ok {
		return search.Entry{}, false, ctx.Err()
	}
	return s.st.entries[i], true, ctx.Err()
}

func (s *snapshot) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		s.ix.cache.releaseState(s.st)
	}
	return nil
}
