package redis

import (
	"context"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/owner"
	"github.com/contextd/contextd/internal/queue"
)

const (
	rescueEvery = 30 * time.Second // how often messages are looked for that another drainer left
	rescueIdle  = time.Minute      // how long a live drainer may hold a message
)

// rescue merges the messages that this process left behind by an error, that dead processes held, and that others hold
// for too long.
func (q *Queue) rescue(ctx context.Context, accept func(*queue.Request) error) (n int, err error) {
	if q.dueLost.Load() {
		if err := q.requeue(ctx); err != nil {
			return 0, err
		}
		q.dueLost.Store(false)
	}
	consumers, err := q.client.XInfoConsumers(ctx, q.intake(), group).Result()
	if err != nil {
		return 0, err
	}
	for _, c := range consumers {
		gone := owner.Dead(c.Name) && c.Name != q.holder
		idle := rescueIdle
		if gone || c.Name == q.holder {
			idle = 0
		}
		k, err := q.rescueFrom(ctx, c.Name, idle, accept)
		n += k
		if err != nil {
			return n, err
		}
		if gone { // it can hold nothing new
			if err := q.client.XGroupDelConsumer(ctx, q.intake(), group, c.Name).Err(); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

func (q *Queue) rescueFrom(
	ctx context.Context, consumer string, idle time.Duration, accept func(*queue.Request) error,
) (n int, err error) {
	for from := "-"; ; {
		held, err := q.client.XPendingExt(ctx, &goredis.XPendingExtArgs{Stream: q.intake(), Group: group, Start: from,
			End: "+", Count: batch, Consumer: consumer}).Result()
		if err != nil || len(held) == 0 {
			return n, err
		}
		from = "(" + held[len(held)-1].ID
		var ids []string
		for _, h := range held {
			if h.Idle >= idle {
				ids = append(ids, h.ID)
			}
		}
		if len(ids) == 0 {
			continue
		}
		ids, err = q.client.XClaimJustID(ctx, &goredis.XClaimArgs{Stream: q.intake(), Group: group, Consumer: q.holder,
			MinIdle: idle, Messages: ids}).Result()
		if err != nil {
			return n, err
		}
		for len(ids) > 0 {
			var ms []queue.Message
			if ms, ids, err = q.readByID(ctx, ids); err != nil {
				return n, err
			}
			if err := q.merge(ctx, ms, accept); err != nil {
				return n, err
			}
			n += len(ms)
		}
	}
}

// requeue makes projects due that have pending changes and are neither due nor claimed: the set of due or of claimed
// projects was overwritten and then deleted.
func (q *Queue) requeue(ctx context.Context) error {
	states := q.state("")
	for cursor := uint64(0); ; {
		keys, next, err := q.client.ScanType(ctx, cursor, escapeGlob(states)+"*", scanCount, "hash").Result()
		if err != nil {
			return err
		}
		for _, key := range keys {
			p := strings.TrimPrefix(key, states)
			if err := requeueScript.Run(ctx, q.client, q.project(p), q.skewMS(), p).Err(); err != nil {
				return err
			}
		}
		if cursor = next; cursor == 0 {
			return nil
		}
	}
}

const scanCount = 5000 // keys that one step of SCAN looks at: a few milliseconds of the server
