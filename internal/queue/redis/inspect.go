package redis

import (
	"context"
	"fmt"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/queue"
)

var _ queue.Inspector = (*Queue)(nil)

// idAheadScript finds an intake whose last id lies so far ahead of the clock that somebody chose it. KEYS: intake.
// ARGV: skew. After the greatest of all ids a stream takes no message any more. Returns the last id, or "".
var idAheadScript = script(idAhead + `return ahead(now(ARGV[1])) or ''`)

// recreateScript makes such an intake again once nothing is in it. KEYS: intake. ARGV: skew. Returns the last id it
// had, or "".
var recreateScript = script(idAhead + `
local id = ahead(now(ARGV[1]))
if not id or redis.call('XLEN', KEYS[1]) > 0 then return '' end
for _, g in ipairs(redis.call('XINFO', 'GROUPS', KEYS[1])) do
  for i = 1, #g, 2 do
    if g[i] == 'pending' and g[i+1] > 0 then return '' end
  end
end
redis.call('DEL', KEYS[1])
redis.call('XGROUP', 'CREATE', KEYS[1], 'GROUP', '0', 'MKSTREAM')
return id
`)

const idAhead = `
local function ahead(t)
  if redis.call('TYPE', KEYS[1]).ok ~= 'stream' then return end
  local info = redis.call('XINFO', 'STREAM', KEYS[1])
  for i = 1, #info, 2 do
    if info[i] == 'last-generated-id' and tonumber(string.match(info[i+1], '^%d+')) > t + AHEADID then return info[i+1] end
  end
end
`

// recreateIntake deletes and creates the intake if it is empty and its last id blocks producers, or may soon.
func (q *Queue) recreateIntake(ctx context.Context) error {
	id, err := recreateScript.Run(ctx, q.client, []string{q.intake()}, q.skewMS()).Text()
	if err == nil && id != "" {
		q.log.Warn("queue's stream was made again: somebody had chosen an id far ahead of the clock",
			"key", q.intake(), "id", id)
	}
	return err
}

// Inspect implements queue.Inspector.
func (q *Queue) Inspect(ctx context.Context) ([]queue.Fault, error) {
	all, err := q.inspect(ctx)
	if err != nil {
		return nil, fmt.Errorf("inspect the keys of queue %q: %w", q.prefix, err)
	}
	return all, nil
}

func (q *Queue) inspect(ctx context.Context) (all []queue.Fault, err error) {
	id, err := idAheadScript.Run(ctx, q.client, []string{q.intake()}, q.skewMS()).Text()
	if err != nil {
		return nil, err
	}
	if id != "" {
		all = append(all,
			queue.Fault{
				Detail: fmt.Sprintf(
					"key %q: somebody chose the id %s, far ahead of the clock: it may take no message any more",
					q.intake(), id),
				Hint: `start "indexer run", which makes it again once it is empty`})
	}
	want := map[string]string{q.intake(): "stream", q.due(): "zset", q.inflight(): "zset", q.holders(): "hash",
		q.dead(): "stream", q.claims(): "string"}
	names := []string{q.intake(), q.due(), q.inflight(), q.holders(), q.dead(), q.claims()}
	for _, start := range []string{q.pending(""), q.state("")} {
		it := q.client.Scan(ctx, 0, escapeGlob(start)+"*", scanCount).Iterator()
		for it.Next(ctx) {
			if _, ok := want[it.Val()]; !ok {
				names = append(names, it.Val())
			}
			want[it.Val()] = "hash"
		}
		if err := it.Err(); err != nil {
			return nil, err
		}
	}
	for len(names) > 0 {
		part := names[:min(len(names), pageSize)]
		names = names[len(part):]
		types := make([]*goredis.StatusCmd, len(part))
		if _, err := q.client.Pipelined(ctx, func(p goredis.Pipeliner) error {
			for i, key := range part {
				types[i] = p.Type(ctx, key)
			}
			return nil
		}); err != nil {
			return nil, err
		}
		for i, key := range part {
			if is := types[i].Val(); is != "none" && is != want[key] {
				all = append(all, queue.Fault{Project: q.projectOfKey(key),
					Detail: fmt.Sprintf("key %q holds a %s, want a %s: what belongs there waits", key, is, want[key]),
					Hint:   fmt.Sprintf("redis-cli DEL %q", key)})
			}
		}
	}
	return all, nil
}

// projectOfKey is the project of a key; "" for a shared one.
func (q *Queue) projectOfKey(key string) string {
	for _, start := range []string{q.pending(""), q.state("")} {
		if p, ok := strings.CutPrefix(key, start); ok {
			return p
		}
	}
	return ""
}

// escapeGlob is a pattern for SCAN that matches only s.
func escapeGlob(s string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(s)
}
