package redisearch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/search"
)

// newVersion names a new build: its form, a hash of what its documents are made with, so that people see which builds
// are alike, and a random part.
func newVersion(f form, m search.Model, mode search.Mode) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %q %d %d %s", recordFormat, m.Embedder, m.Dims, m.Analyzer, mode))
	return string(f) + hex.EncodeToString(sum[:4]) + randomHex(4)
}

// dropOthers drops all builds of a project but those that its record names.
func (x *Index) dropOthers(ctx context.Context, l *lock, pid string) error {
	vers, err := x.writeClient.SMembers(ctx, x.keys.vers(pid)).Result()
	if err != nil {
		return fmt.Errorf("list the builds of project %q: %w", pid, err)
	}
	for _, ver := range vers {
		if err := x.dropUnnamed(ctx, l, pid, ver); err != nil {
			return err
		}
	}
	return nil
}

// dropVersion removes all that is stored of a build: first its FT indexes, so that unlinking the chunks costs the
// server no work on them, the manifest last, since it names the chunks. It may be cut off anywhere and is then
// repeated.
func (x *Index) dropVersion(ctx context.Context, pid, ver string) error {
	k := x.keys
	for _, idx := range []string{k.flat(pid, ver), k.hnsw(pid, ver), k.words(pid, ver), k.graph(pid, ver)} {
		if err := x.dropIndex(ctx, idx); err != nil {
			return err
		}
	}
	chunks := k.chunks(pid, ver)
	var gone []string
	for cursor := uint64(0); ; {
		fields, next, err := x.writeClient.HScan(ctx, k.files(pid, ver), cursor, "", scanCount).Result()
		if rdb.Classify(err) == rdb.WrongType {
			break // which chunks there are cannot be known any more
		}
		if err != nil {
			return err
		}
		for i := 0; i+1 < len(fields); i += 2 {
			s, _ := decodeEntry(fields[i], fields[i+1]) // of a damaged entry: the ids before the damage
			for _, id := range s.ids {
				gone = append(gone, chunks+id.String())
			}
		}
		if err := x.unlink(ctx, gone); err != nil {
			return err
		}
		gone = gone[:0]
		if cursor = next; cursor == 0 {
			break
		}
	}
	ahead, err := x.writeClient.SMembers(ctx, k.ahead(pid, ver)).Result()
	if err != nil && rdb.Classify(err) != rdb.WrongType {
		return err
	}
	for _, id := range ahead {
		gone = append(gone, chunks+id)
	}
	gone = append(gone, k.ahead(pid, ver), k.names(pid, ver), k.blobs(pid, ver), k.files(pid, ver))
	if err := x.unlink(ctx, gone); err != nil {
		return err
	}
	return x.writeClient.SRem(ctx, k.vers(pid), ver).Err()
}

// unlinkBatch is how many keys one UNLINK names.
const unlinkBatch = 500

func (x *Index) unlink(ctx context.Context, keys []string) error {
	for len(keys) > 0 {
		n := min(len(keys), unlinkBatch)
		if err := x.writeClient.Unlink(ctx, keys[:n]...).Err(); err != nil {
			return fmt.Errorf("unlink %d keys: %w", n, err)
		}
		keys = keys[n:]
	}
	return nil
}

// dropUncommitted drops a build unless it was committed, which a lost reply may have hidden. If that fails, the next
// writer drops it.
func (w *writer) dropUncommitted() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := w.x.dropUnnamed(ctx, w.lock, w.pid, w.rec.ver); err != nil {
		w.x.opts.Log.Debug("abandoned build left to the next writer", "project", w.pid, "error", err)
	}
}
