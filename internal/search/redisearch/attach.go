package redisearch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/rdb"
)

// attachScript keeps a blob beside a project that has a record. KEYS record, blob; ARGV its sum, the blob; "" for none.
var attachScript = redis.NewScript(`
if ARGV[2] == '' or redis.call('HEXISTS', KEYS[1], 'gen') == 0 then return redis.call('UNLINK', KEYS[2]) end
redis.call('UNLINK', KEYS[2])
return redis.call('HSET', KEYS[2], 'sum', ARGV[1], 'blob', ARGV[2])`)

// attachment is a blob that was read, with its sum.
type attachment struct {
	sum  string
	blob []byte
}

// Attach implements search.Index.
func (x *Index) Attach(ctx context.Context, project string, blob []byte) error {
	sum := sha256.Sum256(blob)
	err := attachScript.Run(ctx, x.write, []string{x.keys.record(project), x.keys.attached(project)}, hex.EncodeToString(sum[:]), blob).Err()
	if err != nil {
		return fmt.Errorf("attach %d bytes to project %q: %w", len(blob), project, err)
	}
	return nil
}

// Attached implements search.Index. What was read once is read again only when its sum has changed.
func (x *Index) Attached(ctx context.Context, project string) ([]byte, error) {
	key := x.keys.attached(project)
	sum, err := x.read.HGet(ctx, key, "sum").Result()
	switch rdb.Classify(err) {
	case rdb.OK:
	case rdb.Nil, rdb.WrongType:
		x.mu.Lock()
		delete(x.attached, project)
		x.mu.Unlock()
		return nil, nil
	default:
		return nil, fmt.Errorf("read what is attached to project %q: %w", project, err)
	}
	x.mu.Lock()
	have, ok := x.attached[project]
	x.mu.Unlock()
	if ok && have.sum == sum {
		return have.blob, nil
	}
	both, err := x.read.HMGet(ctx, key, "sum", "blob").Result()
	if err != nil {
		return nil, fmt.Errorf("read what is attached to project %q: %w", project, err)
	}
	sum, ok = both[0].(string)
	blob, ok2 := both[1].(string)
	if !ok || !ok2 {
		return nil, nil
	}
	have = attachment{sum, []byte(blob)}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.attached == nil {
		x.attached = make(map[string]attachment)
	}
	x.attached[project] = have
	return have.blob, nil
}
