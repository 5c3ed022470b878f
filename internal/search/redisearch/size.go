package redisearch

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/rdb"
)

const (
	sizeFiles  = 5 // files of a build whose chunks are measured
	sizeChunks = 20
	// defaultChunkBytes is what a chunk takes beside its vector where the server does not tell: its terms, its entry in
	// the FT index.
	defaultChunkBytes = 1500
)

// Size is about how many bytes of the server's memory a project takes, all its builds together: keys are measured by
// MEMORY USAGE, chunks by a sample, and the share of the FT index by the vectors. It reads a bounded number of keys.
func (x *Index) Size(ctx context.Context, project string) (int64, error) {
	vers, err := x.readClient.SMembers(ctx, x.keys.vers(project)).Result()
	if err != nil && rdb.Classify(err) != rdb.WrongType {
		return 0, fmt.Errorf("measure project %q: %w", project, err)
	}
	total, err := x.usage(ctx, x.keys.record(project), x.keys.attached(project))
	for i := 0; err == nil && i < len(vers); i++ {
		var n int64
		n, err = x.sizeOfBuild(ctx, project, vers[i])
		total += n
	}
	if err != nil {
		return 0, fmt.Errorf("measure project %q: %w", project, err)
	}
	return total, nil
}

func (x *Index) sizeOfBuild(ctx context.Context, pid, ver string) (int64, error) {
	k := x.keys
	total, err := x.usage(ctx, k.files(pid, ver), k.blobs(pid, ver), k.names(pid, ver), k.ahead(pid, ver))
	if err != nil {
		return 0, err
	}
	files, err := x.readClient.HLen(ctx, k.files(pid, ver)).Result()
	if err != nil || files == 0 {
		return total, ignoreWrongType(err)
	}
	sample, err := x.readClient.HRandFieldWithValues(ctx, k.files(pid, ver), sizeFiles).Result()
	if err != nil {
		return total, ignoreWrongType(err)
	}
	var keys []string
	var chunks, seen int64 // chunks of the files looked at, and how many these are
	for _, kv := range sample {
		s, _ := decodeEntry(kv.Key, kv.Value) // of a damaged entry: the ids before the damage
		seen++
		chunks += int64(len(s.ids))
		for i := 0; i < len(s.ids) && len(keys) < sizeChunks; i++ {
			keys = append(keys, k.chunks(pid, ver)+s.ids[i].String())
		}
	}
	if len(keys) == 0 || seen == 0 {
		return total, nil
	}
	bytes, err := x.usage(ctx, keys...)
	if err != nil {
		return 0, err
	}
	all := chunks * files / seen
	rec, err := x.record(ctx, x.readClient, pid)
	vector := int64(0)
	if err == nil && rec.mode == "full" {
		vector = int64(rec.Model.Dims) * 4
		if rec.ver == ver {
			all = int64(rec.Chunks)
		}
	}
	return total + all*(bytes/int64(len(keys))+vector), nil
}

// usage is the memory that keys take together. Where the server does not tell, each takes defaultChunkBytes.
func (x *Index) usage(ctx context.Context, keys ...string) (total int64, err error) {
	pipe := x.readClient.Pipeline()
	replies := make([]*redis.IntCmd, len(keys))
	for i, key := range keys {
		replies[i] = pipe.MemoryUsage(ctx, key, sizeFiles)
	}
	_, _ = pipe.Exec(ctx) // each reply has its own error
	for _, r := range replies {
		switch n, err := r.Result(); rdb.Classify(err) {
		case rdb.OK:
			total += n
		case rdb.Nil:
		case rdb.Auth, rdb.Other: // it has no such command, or keeps it from us
			if ctx.Err() != nil {
				return 0, ctx.Err()
			}
			total += defaultChunkBytes
		default:
			return 0, err
		}
	}
	return total, nil
}

func ignoreWrongType(err error) error {
	if rdb.Classify(err) == rdb.WrongType {
		return nil
	}
	return err
}
