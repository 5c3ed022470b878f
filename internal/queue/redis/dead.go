package redis

import (
	"context"
	"fmt"
	"strconv"

	goredis "github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/queue"
)

// Dead implements queue.Queue.
func (q *Queue) Dead(ctx context.Context) ([]queue.Letter, error) {
	var all []queue.Letter
	err := q.each(ctx, q.dead(), "+", queue.MaxDead, func(e goredis.XMessage) error {
		v := func(key string) string { s, _ := e.Values[key].(string); return s }
		attempts, _ := strconv.Atoi(v("attempts"))
		all = append(all, queue.Letter{ID: v("id"), Project: v("project"), Root: v("root"), Reason: v("reason"), Attempts: attempts,
			At: queue.IDTime(e.ID), Paths: queue.DecodePaths(v("paths"))})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list %q: %w", q.dead(), err)
	}
	return all, nil
}

// Revive implements queue.Queue.
func (q *Queue) Revive(ctx context.Context, ids []string) (n int, err error) {
	err = q.letters(ctx, ids, func(e goredis.XMessage) error {
		body, _ := e.Values["body"].(string)
		args := []any{e.ID}
		for _, s := range pairs(queue.DecodeBody(body)) {
			args = append(args, s)
		}
		k, err := reviveScript.Run(ctx, q.client, []string{q.dead(), q.intake()}, args...).Int()
		n += k
		return err
	})
	if err != nil {
		return n, fmt.Errorf("revive from %q: %w", q.dead(), err)
	}
	return n, nil
}

// Drop implements queue.Queue.
func (q *Queue) Drop(ctx context.Context, ids []string) (n int, err error) {
	if len(ids) == 0 {
		return 0, nil
	}
	err = q.letters(ctx, ids, func(e goredis.XMessage) error {
		k, err := q.client.XDel(ctx, q.dead(), e.ID).Result()
		n += int(k)
		return err
	})
	if err != nil {
		return n, fmt.Errorf("drop from %q: %w", q.dead(), err)
	}
	return n, nil
}

// letters calls f for the dead letters with those ids, for all if ids is nil: each that
// stood there at the start once, though what is sent again may die again meanwhile.
func (q *Queue) letters(ctx context.Context, ids []string, f func(goredis.XMessage) error) error {
	want := map[string]bool{}
	for _, id := range ids {
		want[id] = true
	}
	newest, err := q.client.XRevRangeN(ctx, q.dead(), "+", "-", 1).Result()
	if err != nil || len(newest) == 0 {
		return err
	}
	return q.each(ctx, q.dead(), newest[0].ID, queue.MaxDead, func(e goredis.XMessage) error {
		id, _ := e.Values["id"].(string)
		if ids != nil && !want[id] {
			return nil
		}
		return f(e)
	})
}
