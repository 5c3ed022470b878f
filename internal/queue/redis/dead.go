package redis

import (
	"context"
	"fmt"
	"strconv"

	"github.com/contextd/contextd/internal/queue"
)

// Dead implements queue.Queue.
func (q *Queue) Dead(ctx context.Context) ([]queue.Letter, error) {
	var all []queue.Letter
	err := q.eachEntry(ctx, q.dead(), "+", queue.MaxDead, func(e queue.Message) error {
		v := func(key string) string { return e.Fields[key] }
		attempts, _ := strconv.Atoi(v("attempts"))
		all = append(all, queue.Letter{ID: v("id"), Project: v("project"), Root: v("root"), Reason: v("reason"),
			Attempts: attempts, At: queue.IDTime(e.ID), Paths: queue.DecodePaths(v("paths"))})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list %q: %w", q.dead(), err)
	}
	return all, nil
}

// RetryDead implements queue.Queue.
func (q *Queue) RetryDead(ctx context.Context, ids []string) (n int, err error) {
	err = q.eachDeadLetter(ctx, ids, func(e queue.Message) error {
		body := e.Fields["body"]
		args := []any{e.ID}
		for _, s := range flatFields(queue.DecodeBody(body)) {
			args = append(args, s)
		}
		k, err := retryDeadScript.Run(ctx, q.client, []string{q.dead(), q.intake()}, args...).Int()
		n += k
		return err
	})
	if err != nil {
		return n, fmt.Errorf("revive from %q: %w", q.dead(), err)
	}
	return n, nil
}

// DropDead implements queue.Queue.
func (q *Queue) DropDead(ctx context.Context, ids []string) (n int, err error) {
	if len(ids) == 0 {
		return 0, nil
	}
	err = q.eachDeadLetter(ctx, ids, func(e queue.Message) error {
		k, err := q.client.XDel(ctx, q.dead(), e.ID).Result()
		n += int(k)
		return err
	})
	if err != nil {
		return n, fmt.Errorf("drop from %q: %w", q.dead(), err)
	}
	return n, nil
}

// eachDeadLetter calls f for the dead letters with those ids, for all if ids is nil: each that
// stood there at the start once, though what is sent again may die again meanwhile.
func (q *Queue) eachDeadLetter(ctx context.Context, ids []string, f func(queue.Message) error) error {
	want := map[string]bool{}
	for _, id := range ids {
		want[id] = true
	}
	newest, err := q.lastID(ctx, q.dead())
	if err != nil {
		return err
	}
	return q.eachEntry(ctx, q.dead(), newest, queue.MaxDead, func(e queue.Message) error {
		id := e.Fields["id"]
		if ids != nil && !want[id] {
			return nil
		}
		return f(e)
	})
}
