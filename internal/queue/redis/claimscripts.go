package redis

// claimableScript finds what may be claimed. KEYS: due, inflight, holders. Returns the time, due projects, and project,
// end of the lease and token of each claim.
var claimableScript = script(`
local t = now(ARGV[1])
local shared = wrong(KEYS[1], 'zset', KEYS[2], 'zset', KEYS[3], 'hash')
if shared then return shared end
local held = redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES')
local claims = {}
for i = 1, #held, 2 do
  claims[#claims+1] = held[i]
  claims[#claims+1] = held[i+1]
  claims[#claims+1] = redis.call('HGET', KEYS[3], held[i]) or ''
end
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', t, 'LIMIT', 0, 16)
if #due == 0 then due = redis.call('ZRANGEBYSCORE', KEYS[1], t + FARAHEAD, '+inf', 'LIMIT', 0, 16) end
return {t, due, claims}
`)

// claimScript claims a project. ARGV from 3: new token, token of the claim that it replaces or "", 1 if the holder of
// that is dead. It counts the attempt. Returns root, the attempts before it, first, and the pending hash; nothing if
// another was faster; the name of a key of the project that has a wrong type: it is put off, so that it stands in
// nobody's way.
var claimScript = script(`
local t, project = now(ARGV[1]), ARGV[2]
local held = redis.call('HGET', KEYS[3], project) or ''
local ends = tonumber(redis.call('ZSCORE', KEYS[2], project))
if ends then
  if held ~= ARGV[4] or (ARGV[5] ~= '1' and ends > t) then return false end
else
  local due = tonumber(redis.call('ZSCORE', KEYS[1], project))
  if not due or (due > t and due < t + FARAHEAD) then return false end
end
local bad, key = wrong(KEYS[4], 'hash', KEYS[5], 'hash')
if bad then
  redis.call('ZREM', KEYS[2], project)
  redis.call('HDEL', KEYS[3], project)
  redis.call('ZADD', KEYS[1], t + PUTOFF, project)
  return {key}
end
local items = redis.call('HGETALL', KEYS[4])
if #items == 0 then
  settle(KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], project, t)
  return false
end
redis.call('ZREM', KEYS[1], project)
redis.call('ZADD', KEYS[2], t + LEASE, project)
redis.call('HSET', KEYS[3], project, ARGV[3])
local q = redis.call('HMGET', KEYS[5], 'root', 'first')
return {q[1] or '', tostring(count(KEYS[5], 1)), q[2] or tostring(t), items}
`)

// requeueScript makes a project due that is neither due nor claimed though something waits for it.
var requeueScript = script(`
local t, project = now(ARGV[1]), ARGV[2]
local shared = wrong(KEYS[1], 'zset', KEYS[2], 'zset')
if shared then return shared end
if wrong(KEYS[4], 'hash') or redis.call('EXISTS', KEYS[4]) == 0 then return 0 end
if redis.call('ZSCORE', KEYS[1], project) or redis.call('ZSCORE', KEYS[2], project) then return 0 end
return redis.call('ZADD', KEYS[1], t, project)
`)

// checkClaim is in front of a script that works on a claim. ARGV[3] is its token.
const checkClaim = `
local t, project = now(ARGV[1]), ARGV[2]
local bad = wrong(KEYS[1], 'zset', KEYS[2], 'zset', KEYS[3], 'hash', KEYS[4], 'hash', KEYS[5], 'hash')
if bad then return bad end
if redis.call('HGET', KEYS[3], project) ~= ARGV[3] then return 0 end
`

// renewScript extends a lease. These scripts return 0 if the claim is lost.
var renewScript = script(checkClaim + `
redis.call('ZADD', KEYS[2], t + LEASE, project)
return 1
`)

// releaseScript ends the claim of an unfinished run. ARGV[4]: delay, ARGV[5]: what to add to the attempts.
var releaseScript = script(checkClaim + `
count(KEYS[5], tonumber(ARGV[5]))
redis.call('HSET', KEYS[5], 'not_before', t + tonumber(ARGV[4]))
redis.call('ZREM', KEYS[2], project)
redis.call('HDEL', KEYS[3], project)
redis.call('ZADD', KEYS[1], t + tonumber(ARGV[4]), project)
return 1
`)

// doneScript ends a claim and removes the items that did not change. ARGV from 4: number of items, path and id of each;
// then a dead letter for KEYS[6], if there is one. Returns 1 + the number of letters that fell out.
var doneScript = script(checkClaim + `
local n = tonumber(ARGV[4])
if #ARGV > 4 + 2*n then
  local letters = wrong(KEYS[6], 'stream')
  if letters then return letters end
end
for i = 5, 4 + 2*n, 2 do
  if redis.call('HGET', KEYS[4], ARGV[i]) == ARGV[i+1] then redis.call('HDEL', KEYS[4], ARGV[i]) end
end
redis.call('HDEL', KEYS[5], 'attempts', 'not_before')
settle(KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], project, t)
if #ARGV == 4 + 2*n then return 1 end
bury(KEYS[6], 5 + 2*n)
return 1 + redis.call('XTRIM', KEYS[6], 'MAXLEN', MAXDEAD)
`)

// dropUntilScript drops what waits for a root up to a mark. KEYS[6]: intake. ARGV from 3: root, ms and sequence of the
// mark, token of a claim whose holder is dead, ids of messages of the intake.
var dropUntilScript = script(`
local t, project = now(ARGV[1]), ARGV[2]
local bad = wrong(KEYS[1], 'zset', KEYS[2], 'zset', KEYS[3], 'hash', KEYS[4], 'hash', KEYS[5], 'hash')
if bad then return bad end
local ends = tonumber(redis.call('ZSCORE', KEYS[2], project))
if ends and ends > t and (ARGV[6] == '' or redis.call('HGET', KEYS[3], project) ~= ARGV[6]) then return 0 end
for i = 7, #ARGV do
  redis.call('XACK', KEYS[6], 'GROUP', ARGV[i])
  redis.call('XDEL', KEYS[6], ARGV[i])
end
if redis.call('HGET', KEYS[5], 'root') ~= ARGV[3] then return 1 end
local function cmp(a, b) -- of decimal numbers; Lua's own lose digits
  if #a ~= #b then return #a - #b end
  if a == b then return 0 end
  if a < b then return -1 end
  return 1
end
local items = redis.call('HGETALL', KEYS[4])
for i = 1, #items, 2 do
  local m, s = string.match(items[i+1], '^(%d+)-(%d+)$')
  local c = m and cmp(m, ARGV[4])
  if c and (c < 0 or (c == 0 and cmp(s, ARGV[5]) <= 0)) then redis.call('HDEL', KEYS[4], items[i]) end
end
settle(KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], project, t)
return 1
`)
