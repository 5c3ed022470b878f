package backend

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/servers"
)

// severalQueues is a queue.Queue on several servers: what is asked of a project goes to its server, and what is asked
// of all is asked of each. A worker takes the queue of each server for itself, see Backend.Servers.
type severalQueues struct {
	*several
	each []queue.Queue // by place
	turn *atomic.Uint64
}

var _ queue.Queue = severalQueues{}

func (s *several) openQueues() (queue.Queue, error) {
	q := severalQueues{several: s, turn: new(atomic.Uint64)}
	for _, b := range s.each {
		one, err := b.Queue()
		if err != nil {
			return nil, err
		}
		q.each = append(q.each, one)
	}
	return q, nil
}

func (q severalQueues) queue(project string) queue.Queue { return q.each[q.of(project).place.number] }

// all asks the queues of all servers.
func all[T any](
	ctx context.Context, q severalQueues, question func(context.Context, queue.Queue) (T, error),
) ([]T, error) {
	return askEach(ctx, q.several, func(ctx context.Context, b *Backend) (T, error) {
		return question(ctx, q.each[b.place.number])
	})
}

func sum[T int | int64](ns []T) (total T) {
	for _, n := range ns {
		total += n
	}
	return total
}

// Push gives up at once while the server has just been silent. Its error is a *servers.Fault.
func (q severalQueues) Push(ctx context.Context, r queue.Request) (id string, err error) {
	n := q.of(r.Project).place.number
	if err = q.silence(n); err == nil {
		if id, err = q.each[n].Push(ctx, r); err == nil {
			return id, nil
		}
	}
	f := &servers.Fault{Set: q.set, Errors: map[int]error{n: err}}
	q.note(f)
	return "", f
}

func (q severalQueues) Drain(ctx context.Context, accept func(*queue.Request) error) (int, error) {
	ns, err := all(ctx, q, func(ctx context.Context, one queue.Queue) (int, error) { return one.Drain(ctx, accept) })
	return sum(ns), err
}

func (q severalQueues) Claim(ctx context.Context) (c *queue.Claim, err error) {
	start := int(q.turn.Add(1))
	for i := range q.each {
		if c, err = q.each[(start+i)%len(q.each)].Claim(ctx); c != nil || err != nil {
			return c, err
		}
	}
	return nil, nil
}

func (q severalQueues) Renew(ctx context.Context, c *queue.Claim) error {
	return q.queue(c.Project).Renew(ctx, c)
}

func (q severalQueues) Done(ctx context.Context, c *queue.Claim, handled []queue.Item) error {
	return q.queue(c.Project).Done(ctx, c, handled)
}

func (q severalQueues) Retry(ctx context.Context, c *queue.Claim, delay time.Duration) error {
	return q.queue(c.Project).Retry(ctx, c, delay)
}

func (q severalQueues) Release(ctx context.Context, c *queue.Claim, delay time.Duration) error {
	return q.queue(c.Project).Release(ctx, c, delay)
}

func (q severalQueues) Bury(ctx context.Context, c *queue.Claim, reason string) error {
	return q.queue(c.Project).Bury(ctx, c, reason)
}

// Mark is the marks of all servers by place, with commas between; "" of one that does not answer.
func (q severalQueues) Mark(ctx context.Context) (string, error) {
	marks, err := all(ctx, q, func(ctx context.Context, one queue.Queue) (string, error) { return one.Mark(ctx) })
	if servers.Partial(err) {
		err = nil
	}
	return strings.Join(marks, ","), err
}

func (q severalQueues) DropUntil(ctx context.Context, project, root, mark string) error {
	marks, n := strings.Split(mark, ","), q.of(project).place.number
	if n >= len(marks) || marks[n] == "" {
		return nil
	}
	return q.each[n].DropUntil(ctx, project, root, marks[n])
}

func (q severalQueues) Stats(ctx context.Context) (total queue.Stats, err error) {
	list, err := all(ctx, q, func(ctx context.Context, one queue.Queue) (queue.Stats, error) { return one.Stats(ctx) })
	for _, s := range list {
		total.Depth, total.Delayed, total.Inflight = total.Depth+s.Depth, total.Delayed+s.Delayed, total.Inflight+s.Inflight
		total.Dead, total.Paths, total.Oldest = total.Dead+s.Dead, total.Paths+s.Paths, max(total.Oldest, s.Oldest)
	}
	return total, err
}

func (q severalQueues) Pushed(ctx context.Context) (int64, error) {
	ns, err := all(ctx, q, func(ctx context.Context, one queue.Queue) (int64, error) { return one.Pushed(ctx) })
	return sum(ns), err
}

func (q severalQueues) Claimed(ctx context.Context) (int64, error) {
	ns, err := all(ctx, q, func(ctx context.Context, one queue.Queue) (int64, error) { return one.Claimed(ctx) })
	return sum(ns), err
}

func (q severalQueues) Waiting(ctx context.Context, project string) ([]queue.Waiting, error) {
	if project != "" {
		return q.queue(project).Waiting(ctx, project)
	}
	lists, err := all(ctx, q, func(ctx context.Context, one queue.Queue) ([]queue.Waiting, error) {
		return one.Waiting(ctx, "")
	})
	list := slices.Concat(lists...)
	slices.SortStableFunc(list, func(a, b queue.Waiting) int {
		return cmp.Or(cmp.Compare(a.Project, b.Project), cmp.Compare(a.Root, b.Root))
	})
	return list, err
}

// at stands between the id that a letter has on its server and the name of that.
const at = "@"

// Dead lists the letters of all servers. Their ids name the server: two servers may give the same.
func (q severalQueues) Dead(ctx context.Context) ([]queue.Letter, error) {
	lists, err := all(ctx, q, func(ctx context.Context, one queue.Queue) ([]queue.Letter, error) { return one.Dead(ctx) })
	for i, list := range lists {
		for j := range list {
			list[j].ID += at + q.set.Name(i)
		}
	}
	list := slices.Concat(lists...)
	slices.SortStableFunc(list, func(a, b queue.Letter) int { return a.At.Compare(b.At) })
	return list, err
}

// letters calls change with the ids of each server: nil for all. An id without a server is looked for on each.
func (q severalQueues) letters(
	ctx context.Context, ids []string, change func(context.Context, queue.Queue, []string) (int, error),
) (int, error) {
	by := make([][]string, len(q.each))
	for _, id := range ids {
		bare, name, named := strings.Cut(id, at)
		for i := range by {
			if !named || name == q.set.Name(i) {
				by[i] = append(by[i], bare)
			}
		}
	}
	ns, err := ask(ctx, q.several, func(ctx context.Context, b *Backend) (int, error) {
		mine := by[b.place.number]
		if ids != nil && mine == nil {
			return 0, nil
		}
		return change(ctx, q.each[b.place.number], mine)
	})
	if f := asFault(err); f != nil && ids != nil {
		for i := range by { // a server that was to do nothing is missed by nobody
			if by[i] == nil {
				delete(f.Errors, i)
			}
		}
		if len(f.Errors) == 0 {
			err = nil
		}
	}
	return sum(ns), err
}

func (q severalQueues) RetryDead(ctx context.Context, ids []string) (int, error) {
	return q.letters(ctx, ids, func(ctx context.Context, one queue.Queue, ids []string) (int, error) {
		return one.RetryDead(ctx, ids)
	})
}

func (q severalQueues) DropDead(ctx context.Context, ids []string) (int, error) {
	if len(ids) == 0 {
		return 0, nil
	}
	return q.letters(ctx, ids, func(ctx context.Context, one queue.Queue, ids []string) (int, error) {
		return one.DropDead(ctx, ids)
	})
}

// Forget forgets a project on its server and, as far as they answer, on those where it may have been sent wrongly.
func (q severalQueues) Forget(ctx context.Context, project string) error {
	err := q.tell(ctx, func(ctx context.Context, b *Backend) error {
		return q.each[b.place.number].Forget(ctx, project)
	})
	if project != "" {
		return servers.ForPlace(err, q.of(project).place.number)
	}
	return err
}

func (q severalQueues) Ping(ctx context.Context) error {
	return q.tell(ctx, func(ctx context.Context, b *Backend) error { return q.each[b.place.number].Ping(ctx) })
}

// Inspect implements queue.Inspector.
func (q severalQueues) Inspect(ctx context.Context) ([]queue.Fault, error) {
	lists, err := ask(ctx, q.several, func(ctx context.Context, b *Backend) ([]queue.Fault, error) {
		faults, err := b.QueueFaults(ctx)
		for i := range faults {
			faults[i].Detail += " (on server " + b.Server() + ")"
		}
		return faults, err
	})
	return slices.Concat(lists...), err
}

// Close leaves the servers to the Backend.
func (q severalQueues) Close() error { return nil }

func asFault(err error) *servers.Fault {
	var f *servers.Fault
	errors.As(err, &f)
	return f
}
