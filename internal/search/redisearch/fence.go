package redisearch

import (
	"context"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/search"
)

// A writer that was stopped for longer than its lock lasts goes on with what it knew before. So each step that destroys
// something asks in one script whether the lock is still held and what the record names now. A build that no record
// named while the lock of the one that serves was held is named by none later, since every new one has a new random
// name, and a next one is noted and named in one step: to drop it in many steps is safe from then on.
//
// Whoever holds the lock of the build that serves may also end the next one: with its name it removes its lock, and
// with that every script of its writer does nothing.

// What a fence script returns.
const (
	fenceLost  = 0 // the lock is held by another, or by nobody
	fenceNamed = 1 // the record names it: it stays
	fenceOpen  = 2
)

// checkUnnamedScript checks whether a build may be dropped. KEYS lock, record; ARGV lock's value, ver.
var checkUnnamedScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if redis.call('TYPE', KEYS[2]).ok ~= 'hash' then return 2 end
if redis.call('HGET', KEYS[2], 'ver') == ARGV[2] or redis.call('HGET', KEYS[2], 'next') == ARGV[2] then return 1 end
return 2`)

// dropIndexScript drops an FT index of a build that serves unless the record names it. KEYS lock, record; ARGV lock's
// value, index, and what the record names if the index is the graph of its vectors. That there is no such index is no
// error.
var dropIndexScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
local named = redis.call('HGET', KEYS[2], 'idx')
if named == ARGV[2] or named == ARGV[3] then return 1 end
redis.pcall('FT.DROPINDEX', ARGV[2])
return 2`)

// unlinkScript unlinks keys. KEYS lock, keys…; ARGV lock's value.
var unlinkScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
for i = 2, #KEYS do redis.call('UNLINK', KEYS[i]) end
return 2`)

// removeScript removes a record and what is attached, and ends the next build. KEYS lock, record, next build's lock,
// attached, projects; ARGV lock's value, pid.
var removeScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SREM', KEYS[5], ARGV[2])
redis.call('UNLINK', KEYS[2], KEYS[3], KEYS[4])
return 2`)

// runFenced runs a script that checks the lock first. It reports whether the step is allowed, or was done;
// search.ErrLost if the lock is lost.
func (x *Index) runFenced(ctx context.Context, l *lock, s *redis.Script, keys []string, args ...any) (bool, error) {
	n, err := s.Run(ctx, x.writeClient, append([]string{l.key}, keys...), append([]any{l.value}, args...)...).Int()
	switch {
	case err != nil:
		return false, err
	case n == fenceLost:
		return false, search.ErrLost
	}
	return n == fenceOpen, nil
}

// dropUnnamed drops a build unless the record names it.
func (x *Index) dropUnnamed(ctx context.Context, l *lock, pid, ver string) error {
	may, err := x.runFenced(ctx, l, checkUnnamedScript, []string{x.keys.record(pid)}, ver)
	if err == nil && may {
		err = x.dropVersion(ctx, pid, ver)
	}
	if err != nil {
		return fmt.Errorf("drop build %q of project %q: %w", ver, pid, err)
	}
	return nil
}

// unlinkLocked unlinks keys of a build that may serve, if l is still held.
func (x *Index) unlinkLocked(ctx context.Context, l *lock, keys []string) error {
	for len(keys) > 0 {
		n := min(len(keys), unlinkBatch)
		if _, err := x.runFenced(ctx, l, unlinkScript, keys[:n]); err != nil {
			return fmt.Errorf("unlink %d keys: %w", n, err)
		}
		keys = keys[n:]
	}
	return nil
}

// dropIndexLocked drops an FT index that the record does not name.
func (x *Index) dropIndexLocked(ctx context.Context, l *lock, pid, idx string) error {
	partner := idx
	if base, graph := strings.CutSuffix(idx, graphOnly); graph {
		partner = base + wordsOnly
	}
	if _, err := x.runFenced(ctx, l, dropIndexScript, []string{x.keys.record(pid)}, idx, partner); err != nil {
		return fmt.Errorf("drop search index %q: %w", idx, err)
	}
	return nil
}
