package memory

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/contextd/contextd/internal/store"
)

// lacking is a store that does not answer about one bucket, as where its server of several is down.
type lacking struct {
	store.Store
	bucket string
}

var errDown = errors.New("connection refused")

func (w lacking) All(ctx context.Context, s store.Shelf) ([]store.Doc, int64, error) {
	if s.Bucket == w.bucket {
		return nil, 0, errDown
	}
	return w.Store.All(ctx, s)
}

func (w lacking) Rev(ctx context.Context, s store.Shelf) (int64, error) {
	if s.Bucket == w.bucket {
		return 0, errDown
	}
	return w.Store.Rev(ctx, s)
}

func TestAScopeThatCannotBeReadHidesNoOther(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "documents.db")
	b := newBed(t, func() store.Store { return onSQLite(t, path) })
	b.save(knight, "fact", "mine of the harbour")
	b.save(knight, "fact", "ours of the harbour", scoped(ScopeProject))
	b.save(knight, "fact", "everybody's of the harbour", scoped(ScopeGlobal))
	for _, bucket := range []string{"memory", "memoryproject", "memoryglobal"} {
		m := b.over(lacking{b.open(), bucket}, Options{})
		items, err := m.List(t.Context(), knight, Filter{})
		if len(items) != 2 || !errors.Is(err, errDown) {
			t.Errorf("without %s: listed %+v, %v; want two and the error", bucket, items, err)
		}
		hits, err := m.Search(t.Context(), knight, "the harbour", Filter{})
		if len(hits) != 2 || !errors.Is(err, errDown) {
			t.Errorf("without %s: found %+v, %v; want two and the error", bucket, hits, err)
		}
	}
}
