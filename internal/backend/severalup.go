package backend

import (
	"context"
	"errors"
	"time"

	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/servers"
)

// askEach is ask with a question that each server is really asked: who answers is up.
func askEach[T any](ctx context.Context, s *several, question func(context.Context, *Backend) (T, error)) ([]T, error) {
	answers, err := ask(ctx, s, question)
	s.hear(err)
	return answers, err
}

// hear notes which servers are up after a question to each.
func (s *several) hear(err error) {
	f := asFault(err)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.down {
		switch {
		case f == nil || f.Errors[i] == nil:
			s.down[i] = time.Time{}
		case s.down[i].IsZero() && gone(f, f.Errors[i]):
			s.down[i] = time.Now().UTC().Round(0) // as it is written
		}
	}
}

func (s *several) ping(ctx context.Context) error {
	_, err := askEach(ctx, s, func(ctx context.Context, b *Backend) (struct{}, error) { return struct{}{}, b.Ping(ctx) })
	return err
}

func (s *several) downSince(i int) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.down[i]
}

// gone reports whether an error means that its server does not answer. Where none did in time, it may be the time that
// was too short.
func gone(f *servers.Fault, err error) bool {
	switch rdb.Classify(err) {
	case rdb.Unreachable, rdb.Loading:
		return !errors.Is(err, context.Canceled)
	case rdb.Deadline:
		return !f.Whole()
	}
	return false
}
