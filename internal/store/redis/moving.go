package redis

import (
	"context"
	"fmt"
	"slices"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/store"
)

// What follows serves a move of documents to another server; see package backend.

// Holds reports whether a shelf holds documents here.
func (s *Store) Holds(ctx context.Context, sh store.Shelf) (bool, error) {
	ok, err := s.client.SIsMember(ctx, s.owners(sh.Bucket), sh.Owner).Result()
	if err != nil {
		return false, fmt.Errorf("read %q: %w", s.owners(sh.Bucket), err)
	}
	return ok, nil
}

// HoldsLog reports whether a log is here.
func (s *Store) HoldsLog(ctx context.Context, log string) (bool, error) {
	n, err := s.client.Exists(ctx, s.log(log)).Result()
	if err != nil {
		return false, fmt.Errorf("look for %q: %w", s.log(log), err)
	}
	return n > 0, nil
}

// Shelves lists all shelves that hold documents. It looks at every key of the server.
func (s *Store) Shelves(ctx context.Context) (all []store.Shelf, err error) {
	keys, err := s.scan(ctx, s.owners(""), "set")
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		bucket := strings.TrimPrefix(key, s.owners(""))
		if store.CheckBucket(bucket) != nil {
			continue
		}
		owners, err := s.Owners(ctx, bucket)
		if err != nil {
			return nil, err
		}
		for _, owner := range owners {
			all = append(all, store.Shelf{Bucket: bucket, Owner: owner})
		}
	}
	return all, nil
}

// Logs lists the names of all logs. It looks at every key of the server.
func (s *Store) Logs(ctx context.Context) ([]string, error) {
	keys, err := s.scan(ctx, s.log(""), "stream")
	for i := range keys {
		keys[i] = strings.TrimPrefix(keys[i], s.log(""))
	}
	return keys, err
}

const scanCount = 5000 // keys that one step of SCAN looks at: a few milliseconds of the server

// scan lists the keys of a type that begin with a text, sorted.
func (s *Store) scan(ctx context.Context, begin, kind string) (keys []string, err error) {
	for cursor := uint64(0); ; {
		some, next, err := s.client.ScanType(ctx, cursor, globEscapes.Replace(begin)+"*", scanCount, kind).Result()
		if err != nil {
			return nil, fmt.Errorf("look for keys %q: %w", begin+"*", err)
		}
		keys = append(keys, some...)
		if cursor = next; cursor == 0 {
			slices.Sort(keys)
			return slices.Compact(keys), nil
		}
	}
}

var globEscapes = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

// insertScript puts entries into a log in the order of their ids, which they keep. KEYS: log. ARGV: id and data of each,
// in order. An id that is there stays as it is.
var insertScript = goredis.NewScript(`
local have = redis.call('XRANGE', KEYS[1], '-', '+')
local function before(a, b)
  local am, as = string.match(a, '^(%d+)-(%d+)$')
  local bm, bs = string.match(b, '^(%d+)-(%d+)$')
  am, as, bm, bs = tonumber(am), tonumber(as), tonumber(bm), tonumber(bs)
  return am < bm or am == bm and as < bs
end
redis.call('DEL', KEYS[1])
local i, j = 1, 1
while i <= #have or j <= #ARGV do
  if j > #ARGV or i <= #have and not before(ARGV[j], have[i][1]) then
    redis.call('XADD', KEYS[1], have[i][1], unpack(have[i][2]))
    if ARGV[j] == have[i][1] then j = j + 2 end
    i = i + 1
  else
    redis.call('XADD', KEYS[1], ARGV[j], 'd', ARGV[j+1])
    j = j + 2
  end
end
return 1`)

// Insert puts entries, which have their ids, into a log, between those that are there.
func (s *Store) Insert(ctx context.Context, log string, entries []store.Entry) error {
	args := make([]any, 0, 2*len(entries))
	for _, e := range entries {
		id, err := inner(e.ID)
		if err != nil {
			return fmt.Errorf("write %q: entry %q: want the id of an entry", s.log(log), e.ID)
		}
		args = append(args, id, e.Data)
	}
	if err := insertScript.Run(ctx, s.client, []string{s.log(log)}, args...).Err(); err != nil {
		return fmt.Errorf("write %q: %w", s.log(log), err)
	}
	return nil
}

// dropScript removes a log whose last entry is ARGV[1].
var dropScript = goredis.NewScript(`
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
if #last == 1 and last[1][1] == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`)

// DropLog removes a log unless more was appended to it after last.
func (s *Store) DropLog(ctx context.Context, log, last string) error {
	id, err := inner(last)
	if err == nil {
		err = dropScript.Run(ctx, s.client, []string{s.log(log)}, id).Err()
	}
	if err != nil {
		return fmt.Errorf("remove %q: %w", s.log(log), err)
	}
	return nil
}
