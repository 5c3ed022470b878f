package redis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/rdb"
)

const pageSize = 500 // entries or commands of one round trip

// Stats implements queue.Queue.
func (q *Queue) Stats(ctx context.Context) (queue.Stats, error) {
	v, err := q.readView(ctx, "")
	if err != nil {
		return queue.Stats{}, fmt.Errorf("count %q: %w", q.due(), err)
	}
	s := queue.SumStats(v.rows, v.intake, v.now)
	s.Dead = v.dead
	s.Paths += v.uncounted
	return s, nil
}

// Waiting implements queue.Queue.
func (q *Queue) Waiting(ctx context.Context, project string) ([]queue.Waiting, error) {
	v, err := q.readView(ctx, project)
	if err != nil {
		return nil, fmt.Errorf("list %q: %w", q.due(), err)
	}
	all := queue.ListWaiting(v.rows, v.intake, project, v.now)
	broken, err := q.wrongTypeKeys(ctx, v.projectsToCheck())
	if err != nil {
		return nil, fmt.Errorf("list %q: %w", q.due(), err)
	}
	for i := range all {
		all[i].Broken = cmp.Or(broken[all[i].Project], broken[code.RootIndexID(all[i].Project, all[i].Root)])
	}
	if v.uncounted == 0 {
		return all, nil
	}
	if project == "" || len(all) == 0 {
		all = append(all, queue.Waiting{Project: project})
	}
	unseen := &all[len(all)-1]
	unseen.Paths += v.uncounted
	if n := len(v.intake); n > 0 {
		unseen.Oldest = max(unseen.Oldest, v.now.Sub(v.intake[n-1].At))
	}
	return all, nil
}

// view is a snapshot of the queue.
type view struct {
	now       time.Time
	rows      []queue.ProjectRow
	intake    []queue.Message
	dead      int
	uncounted int // messages of the intake that were not looked at
}

// readView reads the queue, or what concerns one project of it: one round trip, one more for every 500 projects, and
// those for messages in the intake, which are read first: what is drained meanwhile counts twice, and never not at all.
func (q *Queue) readView(ctx context.Context, project string) (v view, err error) {
	var now *goredis.TimeCmd
	var dead, length *goredis.IntCmd
	var due, inflight *goredis.ZSliceCmd
	var dueOne, inflightOne *goredis.FloatCmd
	var holders *goredis.MapStringStringCmd
	var one *goredis.StringCmd
	read := func() error {
		return q.inOneTransaction(ctx, func(p goredis.Pipeliner) {
			now, dead, length = p.Time(ctx), p.XLen(ctx, q.dead()), p.XLen(ctx, q.intake())
			if project == "" {
				due, inflight = p.ZRangeWithScores(ctx, q.due(), 0, -1), p.ZRangeWithScores(ctx, q.inflight(), 0, -1)
				holders = p.HGetAll(ctx, q.holders())
				return
			}
			dueOne, inflightOne = p.ZScore(ctx, q.due(), project), p.ZScore(ctx, q.inflight(), project)
			one = p.HGet(ctx, q.holders(), project)
		})
	}
	if err = read(); err != nil {
		return v, err
	}
	if length.Val() > 0 {
		n, err := q.scanEntries(ctx, scanBounds{q.intake(), "+", queue.MaxUndrained, lookBytes, queue.MaxFilesBytes},
			func(m queue.Message) error {
				v.intake = append(v.intake, m)
				return nil
			})
		if err == nil {
			err = read()
		}
		if err != nil {
			return v, err
		}
		v.uncounted = max(0, int(length.Val())-n)
	}
	v.now, v.dead = now.Val().Add(q.skew()), int(dead.Val())
	claimed := func(token string, ends float64) bool {
		return int64(ends) > v.now.UnixMilli() && !queue.HolderDead(q.holder, token)
	}
	if project == "" {
		for _, z := range due.Val() {
			v.rows = append(v.rows, queue.ProjectRow{Project: z.Member.(string), Due: time.UnixMilli(int64(z.Score))})
		}
		for _, z := range inflight.Val() {
			p := z.Member.(string)
			v.rows = append(v.rows, queue.ProjectRow{Project: p, Claimed: claimed(holders.Val()[p], z.Score)})
		}
	} else {
		if dueOne.Err() == nil {
			v.rows = append(v.rows, queue.ProjectRow{Project: project, Due: time.UnixMilli(int64(dueOne.Val()))})
		}
		if inflightOne.Err() == nil {
			v.rows = append(v.rows, queue.ProjectRow{Project: project, Claimed: claimed(one.Val(), inflightOne.Val())})
		}
	}
	return v, q.fillRows(ctx, v.rows, v.now)
}

// fillRows reads roots, ages and counts of rows. Of a project with a key of a wrong type it is only known that it
// waits.
func (q *Queue) fillRows(ctx context.Context, rows []queue.ProjectRow, now time.Time) error {
	for len(rows) > 0 {
		part := rows[:min(len(rows), pageSize)]
		rows = rows[len(part):]
		lens, states := make([]*goredis.IntCmd, len(part)), make([]*goredis.SliceCmd, len(part))
		_, err := q.client.Pipelined(ctx, func(p goredis.Pipeliner) error {
			for i, r := range part {
				lens[i] = p.HLen(ctx, q.pending(r.Project))
				states[i] = p.HMGet(ctx, q.state(r.Project), "root", "first")
			}
			return nil
		})
		if err != nil && rdb.Classify(err) != rdb.WrongType {
			return err
		}
		for i := range part {
			part[i].Paths, part[i].First = int(lens[i].Val()), now
			if s := states[i].Val(); len(s) == 2 {
				part[i].Root, _ = s[0].(string)
				if first, ok := s[1].(string); ok {
					part[i].First = time.UnixMilli(parseMillis(first))
				}
			}
		}
	}
	return nil
}

// inOneTransaction sends the commands that f makes in one round trip, as of one moment. An absent key is no error.
func (q *Queue) inOneTransaction(ctx context.Context, f func(goredis.Pipeliner)) error {
	cmds, err := q.client.TxPipelined(ctx, func(p goredis.Pipeliner) error { f(p); return nil })
	for _, c := range cmds {
		if e := c.Err(); e != nil && !errors.Is(e, goredis.Nil) {
			if rdb.Classify(e) == rdb.WrongType {
				e = fmt.Errorf("key %q: %w", c.Args()[1], e)
			}
			return e
		}
	}
	if errors.Is(err, goredis.Nil) {
		return nil
	}
	return err
}
