package redisearch

import "github.com/redis/go-redis/v9"

// Every script may run twice (a client that lost its connection sends it again) and comes to the same end.

// lockScript takes the write lock if nobody holds it, or if the holder is the one that the caller knows to be dead.
// KEYS lock; ARGV value, known holder, ms. Returns who holds it now.
var lockScript = redis.NewScript(lockText)

const lockText = `
local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[1] and held ~= ARGV[2] then return held end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
return ARGV[1]`

// lockFullScript is lockScript for a server over its maxmemory: the lock is for removing what fills it. Redis 7 and
// later know it.
var lockFullScript = redis.NewScript("#!lua flags=allow-oom" + lockText)

// renewScript prolongs the lock. KEYS lock; ARGV value, ms. Returns 0 if it is held by another, or nobody.
var renewScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`)

// releaseScript gives the lock back. KEYS lock; ARGV value.
var releaseScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`)

// writeChunkText is a function that writes one chunk: its key, path, lang, fid, dirs, and where its words and its vector
// stand in ARGV.
const writeChunkText = `
local function write(key, p, lang, fid, dirs, a)
  local f = {'p', p, 'lang', lang, 'fid', fid}
  local function add(name, v) if v ~= '' then f[#f + 1] = name; f[#f + 1] = v end end
  add('dirs', dirs); add('w1', ARGV[a]); add('w2', ARGV[a + 1]); add('w4', ARGV[a + 2]); add('vec', ARGV[a + 3])
  redis.call('HSET', key, unpack(f))
end
`

// writeChunksScript writes chunks before their file's entry lists them, and notes them in a set.
// KEYS lock, ahead, chunks…; ARGV lock's value, path, lang, fid, dirs, then id, words (3), vec of each chunk. Returns 0
// if the lock is lost.
var writeChunksScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end` + writeChunkText + `
for i = 3, #KEYS do
  local a = 6 + (i - 3) * 5
  redis.call('SADD', KEYS[2], ARGV[a])
  write(KEYS[i], ARGV[2], ARGV[3], ARGV[4], ARGV[5], a + 1)
end
return 1`)

// applyScript changes one file: writes its new chunks, switches entry, blob and name (empty: removes them), unlinks the
// chunks that fell away.
// KEYS lock, record, files, blobs, names, ahead, new chunks…, dropped chunks…; ARGV lock's value, path, the change's
// number (then the record becomes dirty) or "", number of new chunks, entry, blob, name, lang, fid, dirs, then words (3),
// vec of each new chunk. "=" as blob and name leaves them. Returns 0 if the lock is lost.
var applyScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end` + writeChunkText + `
if ARGV[3] ~= '' then redis.call('HSET', KEYS[2], 'dirty', '1', 'seq', ARGV[3]) end
local new = tonumber(ARGV[4])
for i = 1, new do write(KEYS[6 + i], ARGV[2], ARGV[8], ARGV[9], ARGV[10], 7 + i * 4) end
for i = 3, 5 do
  local v = ARGV[i + 2]
  if v == '' then redis.call('HDEL', KEYS[i], ARGV[2])
  elseif v ~= '=' then redis.call('HSET', KEYS[i], ARGV[2], v) end
end
for i = 7 + new, #KEYS do redis.call('UNLINK', KEYS[i]) end
redis.call('DEL', KEYS[6])
return 1`)

// nextScript says in the record which build is to come, and notes that keys of it may exist. Where there is no record
// it was removed, and the lock with it.
// KEYS next build's lock, record, vers; ARGV lock's value, ver, pairs…. Returns 0 if the lock is lost.
var nextScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] or redis.call('HEXISTS', KEYS[2], 'gen') == 0 then return 0 end
redis.call('SADD', KEYS[3], ARGV[2])
redis.call('HSET', KEYS[2], 'next', unpack(ARGV, 2))
return 1`)

// dropNextText takes the next build and its lock away. KEYS 2 record, 3 next build's lock.
const dropNextText = `
redis.call('HDEL', KEYS[2], 'next', 'nextmode', 'nextembedder', 'nextdims', 'nextanalyzer', 'nextfiles', 'nextchunks')
redis.call('DEL', KEYS[3])
`

// dropNextScript ends the next build. KEYS lock of the one that serves, record, next build's lock; ARGV lock's value.
var dropNextScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end` + dropNextText + `return 2`)

// commitScript makes a build the one that serves and counts the generation: up if a file changed since the last commit
// or, with another build, if the caller says so.
// KEYS lock, record, next build's lock, projects; ARGV lock's value, pid, ver, "1" to count a new build up, time in ns or
// "", new epoch, value of the next build's lock where that is switched to, pairs…. Returns the record; nothing if a lock
// is lost.
var commitScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {} end
local gen = tonumber(redis.call('HGET', KEYS[2], 'gen') or '0') or 0
local switched = redis.call('HGET', KEYS[2], 'ver') ~= ARGV[3]
if switched and ARGV[7] ~= '' and redis.call('GET', KEYS[3]) ~= ARGV[7] then return {} end
if redis.call('HGET', KEYS[2], 'dirty') or (switched and ARGV[4] == '1') then gen = gen + 1 end
redis.call('HSET', KEYS[2], 'gen', string.format('%d', gen), 'failed', '', unpack(ARGV, 8))
redis.call('HSETNX', KEYS[2], 'epoch', ARGV[6])
redis.call('HDEL', KEYS[2], 'dirty')
if switched then ` + dropNextText + ` end
if ARGV[5] ~= '' then redis.call('HSET', KEYS[2], 'at', ARGV[5]) end
redis.call('SADD', KEYS[4], ARGV[2])
return redis.call('HGETALL', KEYS[2])`)

// confirmScript sets the time of a record unless it was set lately, or to a little later. KEYS record; ARGV time in ns,
// least gap in ns, by how much earlier it must be to be that of a clock that was set back.
var confirmScript = redis.NewScript(`
if redis.call('HEXISTS', KEYS[1], 'gen') == 0 then return 0 end
local last = tonumber(redis.call('HGET', KEYS[1], 'at') or '0') or 0
local gap = tonumber(ARGV[1]) - last
if gap < tonumber(ARGV[2]) and gap > -tonumber(ARGV[3]) then return 0 end
redis.call('HSET', KEYS[1], 'at', ARGV[1])
return 1`)

// failScript notes why the last refresh failed, if there is a record. KEYS record; ARGV reason.
var failScript = redis.NewScript(failText)

const failText = `
if redis.call('HEXISTS', KEYS[1], 'gen') == 0 then return 0 end
redis.call('HSET', KEYS[1], 'failed', ARGV[1])
return 1`

// failFullScript is failScript for a server over its maxmemory, which this may be about. Redis 7 and later know it.
var failFullScript = redis.NewScript("#!lua flags=allow-oom" + failText)
