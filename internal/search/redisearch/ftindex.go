package redisearch

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/rdb"
)

// createArgs is FT.CREATE. The index reads the hashes that are there already, unless there are none yet: for that the
// server goes through all of its keys.
func createArgs(f form, idx, prefix string, dims int, empty bool) []any {
	args := []any{"FT.CREATE", idx, "ON", "HASH", "PREFIX", 1, prefix}
	if f == compact {
		args = append(args, "NOOFFSETS", "NOHL", "NOFIELDS") // nobody asks for phrases, highlights or one of the fields
	}
	if empty {
		args = append(args, "SKIPINITIALSCAN")
	}
	args = append(args, "STOPWORDS", 0, "SCHEMA", "lang", "TAG", "fid", "TAG", "dirs", "TAG")
	if !strings.HasSuffix(idx, graphOnly) {
		for _, weight := range f.weights() {
			if args = append(args, wordField(weight), "TEXT", "NOSTEM"); weight > 1 {
				args = append(args, "WEIGHT", weight)
			}
		}
	}
	switch {
	case dims == 0, strings.HasSuffix(idx, wordsOnly):
	case strings.HasSuffix(idx, ":hnsw"), strings.HasSuffix(idx, graphOnly):
		args = append(args, "vec", "VECTOR", "HNSW", 12, "TYPE", f.vectorType(), "DIM", dims, "DISTANCE_METRIC", "COSINE",
			"M", 16, "EF_CONSTRUCTION", 200, "EF_RUNTIME", 128)
	default:
		args = append(args, "vec", "VECTOR", "FLAT", 6, "TYPE", f.vectorType(), "DIM", dims, "DISTANCE_METRIC", "COSINE")
	}
	return args
}

// ensureIndex makes sure that an FT index exists and has read the hashes that exist. It returns the number of hashes in
// it; at the latest 2 s after the server says that it is done, though it be less than want.
// progress, which may be nil, is called when the server got further.
func (x *Index) ensureIndex(ctx context.Context, f form, idx, prefix string, dims, want int, progress func()) (docs int, err error) {
	if err := x.createIndex(ctx, f, idx, prefix, dims, false); err != nil {
		return 0, err
	}
	var idle time.Time
	for pause := 2 * time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		info, err := indexInfo(ctx, x.writeClient, idx)
		if err != nil {
			return 0, fmt.Errorf("ask for the state of search index %q: %w", idx, err)
		}
		if info.docs > docs && progress != nil {
			progress()
		}
		docs = info.docs
		if !info.busy {
			if idle.IsZero() {
				idle = time.Now()
			}
			if info.docs >= want || time.Since(idle) > 2*time.Second {
				return info.docs, nil
			}
		}
		select {
		case <-ctx.Done():
			return 0, fmt.Errorf("wait for search index %q: %w", idx, ctx.Err())
		case <-time.After(pause):
		}
	}
}

// indexInfo asks for the state of an FT index.
func indexInfo(ctx context.Context, c *redis.Client, idx string) (info, error) {
	reply, err := c.Do(ctx, "FT.INFO", idx).Result()
	if err != nil {
		return info{}, err
	}
	return parseInfo(reply), nil
}

// createIndex makes an FT index unless there is one. empty: no hash of it is there yet.
func (x *Index) createIndex(ctx context.Context, f form, idx, prefix string, dims int, empty bool) error {
	there, err := x.hasIndex(ctx, idx)
	if err != nil || there {
		return err
	}
	if err := x.writeClient.Do(ctx, createArgs(f, idx, prefix, dims, empty)...).Err(); err != nil && rdb.Classify(err) != rdb.Exists {
		return fmt.Errorf("create search index %q: %w", idx, err)
	}
	return nil
}

// hasIndex reports whether there is an FT index.
func (x *Index) hasIndex(ctx context.Context, idx string) (bool, error) {
	list, err := x.writeClient.Do(ctx, "FT._LIST").StringSlice()
	if err != nil {
		if rdb.Classify(err) == rdb.NoModule {
			x.forgetMode()
		}
		return false, fmt.Errorf("list the search indexes: %w", err)
	}
	return slices.Contains(list, idx), nil
}

// dropIndex drops an FT index but no hash. That it is not there, or that the server has none, is no error.
func (x *Index) dropIndex(ctx context.Context, idx string) error {
	err := x.writeClient.Do(ctx, "FT.DROPINDEX", idx).Err()
	switch rdb.Classify(err) {
	case rdb.OK, rdb.NoIndex, rdb.NoModule:
		return nil
	}
	return fmt.Errorf("drop search index %q: %w", idx, err)
}
