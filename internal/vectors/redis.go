package vectors

import (
	"context"
	"fmt"

	goredis "github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/embed"
)

// Redis keeps vectors on a server. Implements embed.Vectors.
type Redis struct {
	client *goredis.Client
	young  string
	old    string
	bound  int64 // bytes
}

// OnRedis keeps vectors below a prefix, at most bound bytes.
func OnRedis(client *goredis.Client, prefix string, bound int64) *Redis {
	return &Redis{client: client, young: prefix + ":vectors", old: prefix + ":vectors:old", bound: bound}
}

// putScript adds vectors. KEYS: young, old. ARGV: greatest number of vectors in young, seconds to keep them, then key,
// vector, ...
var putScript = goredis.NewScript(`
redis.call('HSET', KEYS[1], unpack(ARGV, 3))
redis.call('EXPIRE', KEYS[1], ARGV[2])
if redis.call('HLEN', KEYS[1]) > tonumber(ARGV[1]) then
  redis.call('UNLINK', KEYS[2])
  redis.call('RENAME', KEYS[1], KEYS[2])
end
return 1`)

// Get implements embed.Vectors. What is found among the old ones is put again: it is in use.
func (r *Redis) Get(ctx context.Context, keys []embed.Key) ([][]float32, error) {
	out := make([][]float32, len(keys))
	if len(keys) == 0 {
		return out, nil
	}
	fields := make([]string, len(keys))
	for i := range keys {
		fields[i] = string(keys[i][:])
	}
	var young, old *goredis.SliceCmd
	_, err := r.client.Pipelined(ctx, func(p goredis.Pipeliner) error {
		young, old = p.HMGet(ctx, r.young, fields...), p.HMGet(ctx, r.old, fields...)
		return nil
	})
	if err != nil {
		return out, fmt.Errorf("read %q from Redis: %w", r.young, err)
	}
	var again []any
	for i := range keys {
		if text, ok := young.Val()[i].(string); ok {
			out[i] = decode([]byte(text))
		} else if text, ok := old.Val()[i].(string); ok {
			out[i] = decode([]byte(text))
			again = append(again, fields[i], text)
		}
	}
	return out, r.put(ctx, again)
}

// Put implements embed.Vectors.
func (r *Redis) Put(ctx context.Context, keys []embed.Key, vectors [][]float32) error {
	pairs := make([]any, 0, 2*len(keys))
	for i := range keys {
		pairs = append(pairs, string(keys[i][:]), encode(vectors[i]))
	}
	return r.put(ctx, pairs)
}

func (r *Redis) put(ctx context.Context, pairs []any) error {
	if len(pairs) == 0 {
		return nil
	}
	size := overhead
	switch v := pairs[1].(type) {
	case string:
		size += len(v)
	case []byte:
		size += len(v)
	}
	args := append([]any{max(1, r.bound/2/int64(size)), int(keep.Seconds())}, pairs...)
	if err := putScript.Run(ctx, r.client, []string{r.young, r.old}, args...).Err(); err != nil {
		return fmt.Errorf("write %q to Redis: %w", r.young, err)
	}
	return nil
}

// Drop forgets all vectors, to make room.
func (r *Redis) Drop(ctx context.Context) error {
	if err := r.client.Unlink(ctx, r.young, r.old).Err(); err != nil {
		return fmt.Errorf("remove %q from Redis: %w", r.young, err)
	}
	return nil
}

// Close does nothing: the client is its owner's.
func (r *Redis) Close() error { return nil }
