package redis

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	goredis "github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/store"
)

// Get implements store.Store.
func (s *Store) Get(ctx context.Context, sh store.Shelf, id string) (store.Doc, error) {
	if err := store.CheckShelf(sh); err != nil {
		return store.Doc{}, err
	}
	value, err := s.client.HGet(ctx, s.shelf(sh), id).Bytes()
	switch {
	case errors.Is(err, goredis.Nil):
		return store.Doc{}, store.NotFound(sh, id)
	case err != nil:
		return store.Doc{}, fmt.Errorf("read %q: %w", s.shelf(sh), err)
	}
	return s.parse(sh, id, value)
}

// All implements store.Store.
func (s *Store) All(ctx context.Context, sh store.Shelf) ([]store.Doc, int64, error) {
	if err := store.CheckShelf(sh); err != nil {
		return nil, 0, err
	}
	var fields *goredis.MapStringStringCmd
	var rev *goredis.StringCmd
	// Its error is that of one of the two, which say it themselves.
	_, _ = s.client.TxPipelined(ctx, func(p goredis.Pipeliner) error {
		fields, rev = p.HGetAll(ctx, s.shelf(sh)), p.HGet(ctx, s.revs(sh.Bucket), sh.Owner)
		return nil
	})
	if err := fields.Err(); err != nil {
		return nil, 0, fmt.Errorf("read %q: %w", s.shelf(sh), err)
	}
	n, err := s.rev(sh.Bucket, rev)
	if err != nil {
		return nil, 0, err
	}
	all := make([]store.Doc, 0, len(fields.Val()))
	for id, value := range fields.Val() {
		d, err := s.parse(sh, id, []byte(value))
		if err != nil {
			return nil, 0, err
		}
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b store.Doc) int { return cmp.Compare(a.ID, b.ID) })
	return all, n, nil
}

// parse takes a field's value apart.
func (s *Store) parse(sh store.Shelf, id string, value []byte) (store.Doc, error) {
	head, data, ok := bytes.Cut(value, []byte{' '})
	rev, err := strconv.ParseInt(string(head), 10, 64)
	if !ok || err != nil || rev < 1 {
		return store.Doc{}, fmt.Errorf("read %q: field %q is not as contextd writes it: somebody else has changed it",
			s.shelf(sh), id)
	}
	return store.Doc{ID: id, Rev: rev, Data: data}, nil
}

// Rev implements store.Store.
func (s *Store) Rev(ctx context.Context, sh store.Shelf) (int64, error) {
	if err := store.CheckShelf(sh); err != nil {
		return 0, err
	}
	return s.rev(sh.Bucket, s.client.HGet(ctx, s.revs(sh.Bucket), sh.Owner))
}

func (s *Store) rev(bucket string, reply *goredis.StringCmd) (int64, error) {
	rev, err := reply.Int64()
	if errors.Is(err, goredis.Nil) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read %q: %w", s.revs(bucket), err)
	}
	return rev, nil
}

// Owners implements store.Store.
func (s *Store) Owners(ctx context.Context, bucket string) ([]string, error) {
	if err := store.CheckBucket(bucket); err != nil {
		return nil, err
	}
	owners, err := s.client.SMembers(ctx, s.owners(bucket)).Result()
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", s.owners(bucket), err)
	}
	slices.Sort(owners)
	return owners, nil
}

// applyScript changes a shelf. KEYS: shelf, revisions, owners. ARGV: owner, then id, condition, "1" or "" to remove,
// data of each write. Returns the new revision, or the id whose condition failed in an array.
//
// The number of a revision is below 2^53 until the year 2255, so Lua's numbers hold it.
var applyScript = goredis.NewScript(`
local owner = ARGV[1]
local last = tonumber(redis.call('HGET', KEYS[2], owner) or '0')
redis.call('HLEN', KEYS[1])
redis.call('SISMEMBER', KEYS[3], owner)
for i = 2, #ARGV, 4 do
  if ARGV[i+1] ~= '0' then
    local have = redis.call('HGET', KEYS[1], ARGV[i])
    have = have and string.match(have, '^%d+') or '-1'
    if have ~= ARGV[i+1] then return {ARGV[i]} end
  end
end
local t = redis.call('TIME')
local rev = string.format('%.0f', math.max(last + 1, tonumber(t[1]) * 1000000 + tonumber(t[2])))
for i = 2, #ARGV, 4 do
  if ARGV[i+2] == '1' then
    redis.call('HSET', KEYS[1], ARGV[i], rev .. ' ' .. ARGV[i+3])
  else
    redis.call('HDEL', KEYS[1], ARGV[i])
  end
end
redis.call('HSET', KEYS[2], owner, rev)
if redis.call('EXISTS', KEYS[1]) == 1 then
  redis.call('SADD', KEYS[3], owner)
else
  redis.call('SREM', KEYS[3], owner)
end
return rev
`)

// Apply implements store.Store.
func (s *Store) Apply(ctx context.Context, sh store.Shelf, writes ...store.Write) (int64, error) {
	if err := errors.Join(store.CheckShelf(sh), store.CheckWrites(writes)); err != nil {
		return 0, fmt.Errorf("write %s: %w", sh, err)
	}
	if len(writes) == 0 {
		return s.Rev(ctx, sh)
	}
	args := make([]any, 1, 1+4*len(writes))
	args[0] = sh.Owner
	for _, w := range writes {
		set := ""
		if w.Data != nil {
			set = "1"
		}
		args = append(args, w.ID, w.If, set, w.Data)
	}
	reply, err := applyScript.Run(ctx, s.client, []string{s.shelf(sh), s.revs(sh.Bucket), s.owners(sh.Bucket)},
		args...).Result()
	if err != nil {
		if rdb.Classify(err) == rdb.WrongType {
			err = fmt.Errorf("it, %q or %q is not what contextd makes it: %w", s.revs(sh.Bucket),
				s.owners(sh.Bucket), err)
		}
		return 0, fmt.Errorf("write %q: %w", s.shelf(sh), err)
	}
	switch reply := reply.(type) {
	case string:
		return strconv.ParseInt(reply, 10, 64)
	case []any:
		if len(reply) == 1 {
			return 0, store.Conflict(sh, fmt.Sprint(reply[0]))
		}
	}
	return 0, fmt.Errorf("write %q: the server answers %v", s.shelf(sh), reply)
}
