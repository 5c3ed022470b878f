package redis

import (
	"context"
	"sync"

	goredis "github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/queue"
)

// prelude is in front of every script. KEYS and ARGV start the same everywhere they can: KEYS are due, inflight,
// holders, pending, q; ARGV[1] is what is added to the server's clock, ARGV[2] the project.
const prelude = `
local function now(skew)
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000) + tonumber(skew)
end

-- the error for the first of these keys that somebody has overwritten with another type: key, type, key, type, ...
local function wrong(...)
  local a = {...}
  for i = 1, #a, 2 do
    local is = redis.call('TYPE', a[i]).ok
    if is ~= 'none' and is ~= a[i+1] then
      return redis.error_reply('WRONGTYPE key ' .. a[i] .. ' holds a ' .. is .. ', want a ' .. a[i+1] .. ': delete it'), a[i]
    end
  end
end

-- when a project is due: queue.Due. lag: how long the newest message had waited in the intake when it was merged
local function due_at(first, last, lag, not_before)
  return math.max(lag + math.min(last + DEBOUNCE, first + MAXDELAY), not_before)
end

local function ms(id, t)
  return math.min(tonumber(string.match(id, '^%d+')) or t, t)
end

-- count a run's attempt, or take it back
local function count(q, by)
  local n = tonumber(redis.call('HGET', q, 'attempts') or '') or 0
  redis.call('HSET', q, 'attempts', math.max(0, n + by))
  return n
end

-- end a claim, if there is one, and make the project due for what is left
local function settle(due, inflight, holders, pending, q, project, t)
  redis.call('ZREM', inflight, project)
  redis.call('HDEL', holders, project)
  local ids = redis.call('HVALS', pending)
  if #ids == 0 then
    redis.call('DEL', pending, q)
    redis.call('ZREM', due, project)
    return
  end
  local first, last = t, 0
  for _, id in ipairs(ids) do
    local at = ms(id, t)
    first, last = math.min(first, at), math.max(last, at)
  end
  redis.call('HSET', q, 'first', first, 'last', last)
  local old = redis.call('HMGET', q, 'lag', 'not_before')
  redis.call('ZADD', due, due_at(first, last, tonumber(old[1]) or 0, tonumber(old[2]) or 0), project)
end

local function bury(dead, from)
  redis.call('XADD', dead, '*', 'id', ARGV[from], 'project', ARGV[from+1], 'root', ARGV[from+2], 'reason', ARGV[from+3],
    'attempts', ARGV[from+4], 'paths', ARGV[from+5], 'body', ARGV[from+6])
end
`

// lazyScript is a script that is put together when it is first run: most processes run none.
type lazyScript struct{ get func() *goredis.Script }

func (s lazyScript) Run(ctx context.Context, c goredis.Scripter, keys []string, args ...any) *goredis.Cmd {
	return s.get().Run(ctx, c, keys, args...)
}

func script(body string) lazyScript {
	return lazyScript{sync.OnceValue(func() *goredis.Script {
		return goredis.NewScript(luaConstants.Replace(prelude + body))
	})}
}

// appendDeadLetter appends the seven arguments that bury takes.
func appendDeadLetter(args []any, c queue.DeadLetter) []any {
	return append(args, c.ID, c.Project, c.Root, c.Reason, c.Attempts, queue.EncodePaths(c.Paths),
		queue.EncodeBody(c.Body))
}

// mergeScript moves messages from the intake to where they wait, or to the dead letters, and acknowledges each only
// after that. KEYS: intake, due, inflight, dead, then pending and q of each project. ARGV: skew, the number of ids, the
// ids, the number of projects, for each: its name, root, first, last, last id, number of items, for each: path, id;
// number of its message ids, these; then the dead letters. Returns the number of dead letters that fell out, those ids
// that are no longer ours (then nothing was done), and the keys of a wrong type: what belongs there stays in the
// intake, and so do the messages of a last list, for under the name of their project another root waits.
var mergeScript = script(`
local t, at = now(ARGV[1]), 2
local function arg() at = at + 1; return ARGV[at - 1] end
local gone, broken, clash = {}, {}, {}
for i = 1, tonumber(arg()) do
  local id = arg()
  if #redis.call('XPENDING', KEYS[1], 'GROUP', id, id, 1) == 0 then gone[#gone+1] = id end
end
if #gone > 0 then return {0, gone, broken, clash} end
local shared = wrong(KEYS[2], 'zset', KEYS[3], 'zset')
if shared then return shared end
local function acknowledge(id)
  redis.call('XACK', KEYS[1], 'GROUP', id)
  redis.call('XDEL', KEYS[1], id)
end
-- false where another root waits
local function merge(pending, q, project, root, first, last, last_id, n, items)
  local old = redis.call('HMGET', q, 'root', 'first', 'not_before')
  local claimed = redis.call('ZSCORE', KEYS[3], project)
  if old[1] and old[1] ~= '' and old[1] ~= root and not string.find(project, '@', 1, true) then return false end
  local whole = ARGV[items] == '*' and n == 1
  if old[2] then first = math.min(first, tonumber(old[2]) or first) end
  if whole then
    -- the items of a claim stay as they are until it ends, so that Done finds them unchanged
    if not claimed then redis.call('DEL', pending) end
    redis.call('HSET', pending, '*', last_id)
  elseif not claimed and redis.call('HEXISTS', pending, '*') == 1 then
    redis.call('HSET', pending, '*', last_id)
  else
    for k = 0, n - 1 do redis.call('HSET', pending, ARGV[items + 2*k], ARGV[items + 2*k + 1]) end
    if redis.call('HLEN', pending) > MAXPATHS then
      redis.call('DEL', pending)
      redis.call('HSET', pending, '*', last_id)
    end
  end
  redis.call('HSET', q, 'root', root, 'first', first, 'last', last, 'lag', t - last)
  if not claimed then redis.call('ZADD', KEYS[2], due_at(first, last, t - last, tonumber(old[3]) or 0), project) end
  return true
end
for i = 1, tonumber(arg()) do
  local pending, q = KEYS[3 + 2*i], KEYS[4 + 2*i]
  local project, root = arg(), arg()
  local first, last, last_id, n = math.min(tonumber(arg()), t), math.min(tonumber(arg()), t), arg(), tonumber(arg())
  local items = at
  at = at + 2*n
  local bad, key = wrong(pending, 'hash', q, 'hash')
  local merged = false
  if bad then
    broken[#broken+1] = key
  else
    merged = merge(pending, q, project, root, first, last, last_id, n, items)
  end
  for k = 1, tonumber(arg()) do
    local id = arg()
    if merged then
      acknowledge(id)
    elseif not bad then
      clash[#clash+1] = id
    end
  end
end
if at > #ARGV then return {0, gone, broken, clash} end
local bad, key = wrong(KEYS[4], 'stream')
if bad then
  broken[#broken+1] = key
  return {0, gone, broken, clash}
end
while at <= #ARGV do
  bury(KEYS[4], at)
  acknowledge(ARGV[at])
  at = at + 7
end
return {redis.call('XTRIM', KEYS[4], 'MAXLEN', MAXDEAD), gone, broken, clash}
`)

// forgetScript removes a project. KEYS from 6: intake, dead. ARGV from 3: number of message ids, these, ids of letters.
var forgetScript = script(`
local bad = wrong(KEYS[1], 'zset', KEYS[2], 'zset', KEYS[3], 'hash', KEYS[6], 'stream', KEYS[7], 'stream')
if bad then return bad end
local n = tonumber(ARGV[3])
for i = 4, #ARGV do
  if i <= 3 + n then
    redis.call('XACK', KEYS[6], 'GROUP', ARGV[i])
    redis.call('XDEL', KEYS[6], ARGV[i])
  else
    redis.call('XDEL', KEYS[7], ARGV[i])
  end
end
redis.call('DEL', KEYS[4], KEYS[5])
redis.call('ZREM', KEYS[1], ARGV[2])
redis.call('ZREM', KEYS[2], ARGV[2])
redis.call('HDEL', KEYS[3], ARGV[2])
return 1
`)

// retryDeadScript sends a dead letter's message again. KEYS: dead, intake. ARGV: id in the stream, then the message.
var retryDeadScript = script(`
if #redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1]) == 0 then return 0 end
redis.call('XADD', KEYS[2], '*', unpack(ARGV, 2))
return redis.call('XDEL', KEYS[1], ARGV[1])
`)
