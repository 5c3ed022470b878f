package backend

import (
	"context"

	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/search"
)

// Facts asks the server about itself. On the embedded backing there is none, and several are asked one by one, see
// Servers: ok is false.
func (b *Backend) Facts(ctx context.Context) (f rdb.Facts, ok bool, err error) {
	if b.client == nil {
		return f, false, nil
	}
	f, err = rdb.AskFacts(ctx, b.client)
	return f, true, err
}

// QueueFaults says what is wrong with the keys of the queue.
func (b *Backend) QueueFaults(ctx context.Context) ([]queue.Fault, error) {
	q, err := b.look()
	if i, ok := q.(queue.Inspector); ok && err == nil {
		return i.Inspect(ctx)
	}
	return nil, err
}

// Inspect says what is wrong with the stored indexes.
func (b *Backend) Inspect(ctx context.Context) ([]search.Fault, error) {
	if i, ok := b.Index.(search.Inspector); ok {
		return i.Inspect(ctx)
	}
	return nil, nil
}
