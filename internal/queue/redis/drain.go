package redis

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/code"
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

// merge moves messages that this consumer holds out of the intake.
func (q *Queue) merge(ctx context.Context, ms []queue.Message, accept func(*queue.Request) error) error {
	for len(ms) > 0 {
		n, size := 0, 0
		for n < len(ms) && (n == 0 || size < batchBytes) {
			size += len(ms[n].Fields[queue.FieldFiles])
			n++
		}
		good, on, dead := queue.Validate(ms[:n], accept, time.Now())
		if err := q.acknowledge(ctx, on); err != nil {
			return err
		}
		if err := q.mergeOnce(ctx, good, dead); err != nil {
			return err
		}
		ms = ms[n:]
	}
	return nil
}

// acknowledge takes messages that were handed on out of the intake.
func (q *Queue) acknowledge(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := q.client.TxPipelined(ctx, func(p goredis.Pipeliner) error {
		p.XAck(ctx, q.intake(), group, ids...)
		p.XDel(ctx, q.intake(), ids...)
		return nil
	})
	if err == nil {
		queue.CountDrained(0, len(ids), 0)
	}
	return err
}

// mergeOnce runs the script, again without those messages that were settled, forgotten or rescued by another meanwhile.
func (q *Queue) mergeOnce(ctx context.Context, good []queue.Accepted, dead []queue.DeadLetter) error {
	for len(good)+len(dead) > 0 {
		args := []any{q.skewMS(), len(good) + len(dead)}
		for _, a := range good {
			args = append(args, a.ID)
		}
		for _, c := range dead {
			args = append(args, c.ID)
		}
		merges := queue.Coalesce(good)
		args = append(args, len(merges))
		names := []string{q.intake(), q.due(), q.inflight(), q.dead()}
		for _, m := range merges {
			names = append(names, q.pending(m.Project), q.state(m.Project))
			args = append(args, m.Project, m.Root, m.First.UnixMilli(), m.Last.UnixMilli(), m.LastID, len(m.Items))
			for _, it := range m.Items {
				args = append(args, it.Path, it.ID)
			}
			ids := messageIDs(good, m)
			args = append(append(args, len(ids)), ids...)
		}
		for _, c := range dead {
			args = appendDeadLetter(args, c)
		}
		reply, err := mergeScript.Run(ctx, q.client, names, args...).Slice()
		if err != nil {
			return err
		}
		if len(reply) != 4 {
			return errUnexpectedReply
		}
		gone := stringSlice(reply[1])
		if len(gone) == 0 {
			q.logBrokenKeys(merges, stringSlice(reply[2]), len(dead) > 0)
			clashes := withRootIndexes(good, stringSlice(reply[3]))
			good = slices.DeleteFunc(good, func(a queue.Accepted) bool {
				return slices.Contains(stringSlice(reply[3]), a.ID)
			})
			good = slices.DeleteFunc(good, func(a queue.Accepted) bool {
				return q.broken[q.pending(a.Project)] || q.broken[q.state(a.Project)]
			})
			if q.broken[q.dead()] {
				dead = nil
			}
			queue.CountDrained(len(good), 0, len(dead))
			if n, _ := reply[0].(int64); n > 0 {
				queue.CountDropped(int(n))
			}
			if len(clashes) > 0 {
				return q.mergeOnce(ctx, clashes, nil)
			}
			return nil
		}
		good = slices.DeleteFunc(slices.Clone(good), func(a queue.Accepted) bool { return slices.Contains(gone, a.ID) })
		dead = slices.DeleteFunc(slices.Clone(dead), func(c queue.DeadLetter) bool {
			return slices.Contains(gone, c.ID)
		})
	}
	return nil
}

// messageIDs returns the ids of the messages that m merges.
func messageIDs(ms []queue.Accepted, m *queue.Merge) (ids []any) {
	for _, a := range ms {
		if a.Project == m.Project && a.Root == m.Root {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

// withRootIndexes are the messages with those ids, each under an index of its root's own (see queue.Merge.Clash).
func withRootIndexes(ms []queue.Accepted, ids []string) (out []queue.Accepted) {
	for _, a := range ms {
		if slices.Contains(ids, a.ID) {
			a.Project = code.RootIndexID(a.Project, a.Root)
			out = append(out, a)
		}
	}
	return out
}

// logBrokenKeys logs once that a key has a wrong type, and once that it has been repaired. letters: the key of the dead
// letters was used.
func (q *Queue) logBrokenKeys(merges []*queue.Merge, broken []string, letters bool) {
	var used []string
	for _, m := range merges {
		used = append(used, q.pending(m.Project), q.state(m.Project))
	}
	if letters {
		used = append(used, q.dead())
	}
	for _, key := range used {
		switch bad := slices.Contains(broken, key); {
		case bad && !q.broken[key]:
			q.broken[key] = true
			q.log.Warn("queue key was overwritten with another type: its messages stay in the intake until it is deleted", "key", key)
		case !bad && q.broken[key]:
			delete(q.broken, key)
			q.log.Info("queue key can be used again", "key", key)
		}
	}
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
