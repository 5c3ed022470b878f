package backend

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"time"
)

// Once reports true to the first of all processes on this store that calls it with key, and then to nobody for d.
func (b *Backend) Once(ctx context.Context, key string, d time.Duration) (bool, error) {
	if b.Name == Redis {
		return b.client.SetNX(ctx, b.opts.Prefix+":once:"+key, 1, d).Result()
	}
	if err := MakeStateDir(b.opts.StateDir); err != nil {
		return false, err
	}
	dir := filepath.Join(b.opts.StateDir, "once")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return false, err
	}
	sum := sha256.Sum256([]byte(key))
	name := filepath.Join(dir, hex.EncodeToString(sum[:8]))
	now := time.Now()
	if info, err := os.Stat(name); err == nil && now.Sub(info.ModTime()) < d && !info.ModTime().After(now) {
		return false, nil
	}
	// Two processes may both get here: asked twice is no harm.
	return true, os.WriteFile(name, nil, 0o600)
}
