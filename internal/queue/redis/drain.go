package redis

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/rdb"
)

const (
	drainWait  = 2 * time.Second
	batch      = 100
	batchBytes = 1 << 20 // of changed_files that one script merges
)

// Drain implements queue.Queue. Messages that a drainer took and did not merge, because it crashed or lost its
// connection, come first.
func (q *Queue) Drain(ctx context.Context, accept func(*queue.Request) error) (int, error) {
	q.draining.Lock()
	defer q.draining.Unlock()
	n, err := q.drain(ctx, accept)
	switch {
	case err == nil:
		return n, nil
	case ctx.Err() != nil:
		q.lastRescue = time.Time{} // what was read may not have been merged
		return n, ctx.Err()
	case strings.Contains(err.Error(), "instance state changed"):
		q.log.Warn("queue's server has changed its role, such as from primary to replica", obs.KeyError, err)
		queue.Sleep(ctx, time.Second+rand.N(time.Second))
		return n, nil
	case noGroup(err):
		q.log.Warn("queue's stream was removed or its server flushed", obs.KeyError, err)
		q.hasGroup = false
		queue.Sleep(ctx, time.Second+rand.N(time.Second)) // so that a store that loses it always is not hammered
		return n, nil
	}
	q.markDueLost(err)
	q.lastRescue = time.Time{} // what was read may not have been merged
	return n, fmt.Errorf("drain %q: %w", q.intake(), err)
}

func (q *Queue) drain(ctx context.Context, accept func(*queue.Request) error) (n int, err error) {
	if !q.hasGroup {
		if err := q.client.XGroupCreateMkStream(ctx, q.intake(), group, "0").Err(); err != nil &&
			rdb.Classify(err) != rdb.Exists {
			return 0, err
		}
		q.hasGroup = true
	}
	if time.Since(q.lastRescue) > rescueEvery {
		if n, err = q.rescue(ctx, accept); err != nil {
			return n, err
		}
		q.lastRescue = time.Now()
	}
	var first []queue.Message
	if n == 0 {
		if first, err = q.waitFirst(ctx); err != nil {
			return n, err
		}
		if len(first) == 0 {
			return n, q.recreateIntake(ctx)
		}
	}
	for {
		ms, err := q.readNew(ctx)
		if ms = append(first, ms...); err != nil {
			return n, err
		}
		if len(ms) == 0 {
			return n, q.recreateIntake(ctx)
		}
		first = nil
		if err := q.merge(ctx, ms, accept); err != nil {
			return n, err
		}
		n += len(ms)
	}
}

// waitFirst waits for a first new message and takes it.
func (q *Queue) waitFirst(ctx context.Context) ([]queue.Message, error) {
	reader, err := q.blockingClient()
	if err != nil {
		return nil, err
	}
	// A client that waits for a reply does not see its context end. Closing it does no harm: what the server hands over
	// at that moment stays in this consumer's hands and is rescued.
	stop := context.AfterFunc(ctx, func() { q.closeReader(reader) })
	defer stop()
	// One message, which may be long: how many more fit is for the server to measure.
	streams, err := reader.XReadGroup(ctx, &goredis.XReadGroupArgs{Group: group, Consumer: q.holder,
		Streams: []string{q.intake(), ">"}, Count: 1, Block: drainWait}).Result()
	if errors.Is(err, goredis.Nil) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var ms []queue.Message
	for _, s := range streams {
		ms = append(ms, messages(s.Messages)...)
	}
	return ms, nil
}

// readNew takes the new messages that are in the intake, as many as one reply may hold.
func (q *Queue) readNew(ctx context.Context) ([]queue.Message, error) {
	reply, err := readNewScript.Run(ctx, q.client, []string{q.intake()}, q.holder, batch).Slice()
	return entries(reply), err
}

func (q *Queue) blockingClient() (*goredis.Client, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil, goredis.ErrClosed
	}
	if q.reader == nil {
		c, err := rdb.Blocking(q.url)
		if err != nil {
			return nil, err
		}
		q.reader = c
	}
	return q.reader, nil
}

func (q *Queue) closeReader(reader *goredis.Client) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.reader == reader {
		q.reader = nil
	}
	_ = reader.Close()
}

// markDueLost makes the next rescue search for projects that an overwritten key has lost.
func (q *Queue) markDueLost(err error) {
	if rdb.Classify(err) == rdb.WrongType {
		q.dueLost.Store(true)
	}
}

// noGroup reports whether the stream or its group is gone. Older servers put the code inside the text of a script's
// error, and XINFO knows no code.
func noGroup(err error) bool {
	return rdb.Classify(err) == rdb.NoGroup || strings.Contains(err.Error(), "NOGROUP") ||
		strings.Contains(err.Error(), "no such key")
}
