package backend

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/queue"
)

// removedChannel carries the id of each project that somebody has removed. A message, not a key: a key would be lost
// with the store.
func (b *Backend) removedChannel() string { return b.opts.Prefix + ":removed" }

// NoteRemoved forgets what was noted for Evict of a project that was removed, and tells the daemons on Redis of the
// removal, so that none of them indexes the project again when the store loses its data right after.
func (b *Backend) NoteRemoved(ctx context.Context, project string) {
	own := b.of(project)
	own.evictor.Forget(ctx, project)
	own.announceRemoved(ctx, project)
}

// announceRemoved tells the daemons on Redis that a project was removed.
func (b *Backend) announceRemoved(ctx context.Context, project string) {
	if b.Name != Redis {
		return
	}
	_ = b.client.Publish(ctx, b.removedChannel(), project).Err() // daemons also look at the store every few seconds
}

// silence is how long the subscription to removals may be silent before the server is asked whether it is still there.
const silence = 10 * time.Second

// Removals calls removed with each project that NoteRemoved is called with in any process, until ctx ends. On the
// embedded backing there is nobody to hear of.
func (b *Backend) Removals(ctx context.Context, removed func(project string)) {
	if b.Name != Redis {
		return
	}
	messages := b.client.Subscribe(ctx, b.removedChannel())
	defer context.AfterFunc(ctx, func() { _ = messages.Close() })()
	defer func() { _ = messages.Close() }()
	wait := queue.NewBackOff()
	for ctx.Err() == nil {
		msg, err := messages.ReceiveTimeout(ctx, silence)
		var timeout net.Error
		if errors.As(err, &timeout) && timeout.Timeout() {
			err = messages.Ping(ctx)
		}
		if err != nil && ctx.Err() == nil {
			b.opts.Log.Debug("removals not heard of", obs.KeyError, err)
			t := time.NewTimer(wait.NextBackOff())
			select {
			case <-ctx.Done():
			case <-t.C:
			}
			t.Stop()
			continue
		}
		if wait.Reset(); msg != nil {
			if m, ok := msg.(*redis.Message); ok {
				removed(m.Payload)
			}
		}
	}
}
