package redisearch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/rdb"
)

// attachScript keeps a blob beside a project that has a record. KEYS record, blobs; ARGV its sum, the blob, "" for
// none, and the names of the fields of both.
var attachScript = redis.NewScript(`
if redis.call('TYPE', KEYS[2]).ok ~= 'hash' or redis.call('HEXISTS', KEYS[1], 'gen') == 0 then redis.call('UNLINK', KEYS[2]) end
if ARGV[2] == '' or redis.call('HEXISTS', KEYS[1], 'gen') == 0 then return redis.call('HDEL', KEYS[2], ARGV[3], ARGV[4]) end
return redis.call('HSET', KEYS[2], ARGV[3], ARGV[1], ARGV[4], ARGV[2])`)

// attachedFields are the fields that hold the sum and the blob of a kind. The history's are older than kinds are.
func attachedFields(kind string) (sum, blob string) {
	if kind == "history" {
		return "sum", "blob"
	}
	return "sum:" + kind, "blob:" + kind
}

// attachedKey names what was read.
type attachedKey struct{ project, kind string }

// attachment is a blob that was read, with its sum.
type attachment struct {
	sum  string
	blob []byte
}

// Attach implements search.Index.
func (x *Index) Attach(ctx context.Context, project, kind string, blob []byte) error {
	sum := sha256.Sum256(blob)
	sumField, blobField := attachedFields(kind)
	err := attachScript.Run(ctx, x.writeClient, []string{x.keys.record(project), x.keys.attached(project)}, hex.EncodeToString(sum[:]), blob,
		sumField, blobField).Err()
	if err != nil {
		return fmt.Errorf("attach %d bytes to project %q: %w", len(blob), project, err)
	}
	return nil
}

// Attached implements search.Index. What was read once is read again only when its sum has changed.
func (x *Index) Attached(ctx context.Context, project, kind string) ([]byte, error) {
	key, read := x.keys.attached(project), attachedKey{project, kind}
	sumField, blobField := attachedFields(kind)
	sum, err := x.readClient.HGet(ctx, key, sumField).Result()
	switch rdb.Classify(err) {
	case rdb.OK:
	case rdb.Nil, rdb.WrongType:
		x.mu.Lock()
		delete(x.attached, read)
		x.mu.Unlock()
		return nil, nil
	default:
		return nil, fmt.Errorf("read what is attached to project %q: %w", project, err)
	}
	x.mu.Lock()
	have, ok := x.attached[read]
	x.mu.Unlock()
	if ok && have.sum == sum {
		return have.blob, nil
	}
	both, err := x.readClient.HMGet(ctx, key, sumField, blobField).Result()
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
		x.attached = make(map[attachedKey]attachment)
	}
	x.attached[read] = have
	return have.blob, nil
}
