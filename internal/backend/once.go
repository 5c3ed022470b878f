package backend

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/syserr"
)

// once lets the server's clock decide.
func once(ctx context.Context, client *redis.Client, key string, interval time.Duration) (bool, error) {
	err := client.SetArgs(ctx, key, 1, redis.SetArgs{Mode: "NX", TTL: interval}).Err()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("set %q in Redis: %w", key, err)
	}
	return true, nil
}

// ModelMark is the key of Once under which a question has said that the embedder of an index makes vectors of another
// length than the index holds; it counts for ModelMarkFor.
func ModelMark(index string) string { return "model:" + index }

// ModelMarkFor is how long a mark of ModelMark counts, and how often a question asks because of it at most.
const ModelMarkFor = time.Minute

// ModelMarked reports whether a question has said so of an index lately. Where that cannot be told, none has.
func (b *Backend) ModelMarked(ctx context.Context, index string) bool {
	b = b.of(index)
	if b.Name == Redis {
		return b.client.Get(ctx, b.opts.Prefix+":once:"+ModelMark(index)).Err() == nil
	}
	info, err := os.Stat(onceName(b.opts.StateDir, ModelMark(index)))
	return err == nil && time.Since(info.ModTime()).Abs() < ModelMarkFor
}

// onceName is the file of a key.
func onceName(stateDir, key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(stateDir, onceDir, hex.EncodeToString(sum[:8]))
}

// onceDir holds an empty file for each key; its time is that of the last call that was first.
const onceDir = "once"

func onceFile(stateDir, key string, interval time.Duration) (bool, error) {
	dir := filepath.Join(stateDir, onceDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return true, fmt.Errorf("make %q: %w", dir, syserr.Cause(err))
	}
	path := onceName(stateDir, key)
	now := time.Now()
	if info, err := os.Stat(path); err == nil && now.Sub(info.ModTime()).Abs() < interval {
		return false, nil
	}
	// Two at the same instant may both be first: once too often, not once too few.
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return true, fmt.Errorf("write %q: %w", path, syserr.Cause(err))
	}
	return true, os.Chtimes(path, now, now)
}
