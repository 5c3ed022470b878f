package redis

import (
	"context"
	"slices"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/queue"
)

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
