package redis

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/store"
)

const field = "d"

// Append implements store.Store.
func (s *Store) Append(ctx context.Context, log string, keep int, data ...[]byte) (string, error) {
	if err := store.CheckEntries(log, keep, data); err != nil {
		return "", fmt.Errorf("append: %w", err)
	}
	var last *goredis.StringCmd
	_, err := s.client.TxPipelined(ctx, func(p goredis.Pipeliner) error {
		for _, d := range data {
			last = p.XAdd(ctx, &goredis.XAddArgs{Stream: s.log(log), MaxLen: int64(keep), Approx: true,
				Values: []any{field, d}})
		}
		return nil
	})
	if err != nil {
		// the second says at times only that the first happened
		return "", fmt.Errorf("append to %q: %w", s.log(log), cmp.Or(last.Err(), err))
	}
	return outer(last.Val())
}

// Tail implements store.Store.
func (s *Store) Tail(ctx context.Context, log, after string, n int) ([]store.Entry, error) {
	if err := store.CheckLog(log); err != nil || n <= 0 {
		return nil, err
	}
	from := "-"
	if after != "" {
		id, err := inner(after)
		if err != nil {
			return nil, fmt.Errorf("read log %q after %q: want the id of an entry", log, after)
		}
		from = "(" + id
	}
	return s.entries(log, s.client.XRangeN(ctx, s.log(log), from, "+", int64(n)))
}

// Last implements store.Store.
func (s *Store) Last(ctx context.Context, log string, n int) ([]store.Entry, error) {
	if err := store.CheckLog(log); err != nil || n <= 0 {
		return nil, err
	}
	return s.entries(log, s.client.XRevRangeN(ctx, s.log(log), "+", "-", int64(n)))
}

func (s *Store) entries(log string, reply *goredis.XMessageSliceCmd) ([]store.Entry, error) {
	messages, err := reply.Result()
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", s.log(log), err)
	}
	all := make([]store.Entry, len(messages))
	for i, m := range messages {
		text, _ := m.Values[field].(string)
		all[i].Data = []byte(text)
		if all[i].ID, err = outer(m.ID); err != nil {
			return nil, fmt.Errorf("read %q: %w", s.log(log), err)
		}
	}
	return all, nil
}

// outer is a stream's id, MS-SEQUENCE, in one width, so that ids compare as strings; inner is its reverse.
func outer(id string) (string, error) {
	ms, seq, err := split(id)
	return fmt.Sprintf("%015d-%010d", ms, seq), err
}

func inner(id string) (string, error) {
	ms, seq, err := split(id)
	return fmt.Sprintf("%d-%d", ms, seq), err
}

func split(id string) (ms, seq uint64, err error) {
	a, b, _ := strings.Cut(id, "-")
	if ms, err = strconv.ParseUint(a, 10, 64); err == nil {
		seq, err = strconv.ParseUint(b, 10, 64)
	}
	return ms, seq, err
}
