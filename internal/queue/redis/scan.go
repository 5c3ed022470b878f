package redis

import (
	"context"
	"errors"
	"fmt"
	"math"

	goredis "github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/queue"
)

// Any client can put messages of any length into a stream. What reads them has the server cut each one and stop after a
// number of bytes, so that neither side holds many long ones at once.
const (
	stepBytes = 2 << 20 // of messages that one script looks at; the server does nothing else meanwhile
	lookBytes = 4 << 20 // of messages that Stats and Waiting look at; those beyond are only counted
	maxField  = 8 << 10 // bytes that are kept of a field, but changed_files; more than any that is right
)

// cutFields is in front of a script that returns messages. An over-long changed_files is left out: Parse reads that as
// a rescan, as it does one that it is given whole. Fields that nobody asks for are left out.
const cutFields = `
local names = {project_id=1, sandbox_root=1, requested_at=1, changed_files=1, id=1, project=1, root=1, reason=1, attempts=1}
local function cut(fields)
  local kept, size, files = {}, 0, 0
  for i = 1, #fields, 2 do
    local k, v = fields[i], fields[i+1]
    size = size + #k + #v
    if k == 'changed_files' then
      if #v <= MAXFILES then
        files = files + #v
        kept[#kept+1], kept[#kept+2] = k, v
      end
    elseif k == 'paths' or k == 'body' then -- of a dead letter
      if #v <= MAXFILES then kept[#kept+1], kept[#kept+2] = k, v end
    elseif names[k] then
      kept[#kept+1], kept[#kept+2] = k, string.sub(v, 1, MAXFIELD)
    end
  end
  return kept, size, files
end
`

// scanScript reads entries of a stream. KEYS: stream. ARGV: first id, last id, greatest number, bytes of changed_files
// that may be returned: what does not fit is left out. Returns the entries, the id to go on from or "", and the bytes
// looked at and returned.
var scanScript = script(cutFields + `
local from, most, room = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4])
local all, seen, returned = {}, 0, 0
while most > 0 and seen < STEPBYTES do
  local e = redis.call('XRANGE', KEYS[1], from, ARGV[2], 'COUNT', 1)[1]
  if not e then return {all, '', seen, returned} end
  local kept, size, files = cut(e[2])
  if files > room - returned then
    local short = {}
    for i = 1, #kept, 2 do
      if kept[i] ~= 'changed_files' then short[#short+1], short[#short+2] = kept[i], kept[i+1] end
    end
    kept, files = short, 0
  end
  all[#all+1] = {e[1], kept}
  from, most, seen, returned = '(' .. e[1], most - 1, seen + size, returned + files
end
return {all, from, seen, returned}
`)

// readNewScript takes new messages of the group, as many as fit. KEYS: intake. ARGV: consumer, greatest number.
var readNewScript = script(cutFields + `
local all, seen, returned = {}, 0, 0
for _ = 1, tonumber(ARGV[2]) do
  if seen >= STEPBYTES or returned >= MAXFILES then break end
  local reply = redis.call('XREADGROUP', 'group', 'GROUP', ARGV[1], 'COUNT', 1, 'STREAMS', KEYS[1], '>')
  if not reply then break end
  local e = reply[1][2][1]
  local kept, size, files = cut(e[2])
  all[#all+1] = {e[1], kept}
  seen, returned = seen + size, returned + files
end
return all
`)

// readByIDScript reads messages by id, as many as fit. KEYS: intake. ARGV: ids. Returns how many ids it looked at,
// those that are gone, and the messages of the others.
var readByIDScript = script(cutFields + `
local all, gone, seen, returned = {}, {}, 0, 0
for i = 1, #ARGV do
  if seen >= STEPBYTES or returned >= MAXFILES then return {i - 1, gone, all} end
  local e = redis.call('XRANGE', KEYS[1], ARGV[i], ARGV[i])[1]
  if e then
    local kept, size, files = cut(e[2])
    all[#all+1] = {e[1], kept}
    seen, returned = seen + size, returned + files
  else
    gone[#gone+1] = ARGV[i]
  end
end
return {#ARGV, gone, all}
`)

// lastIDScript returns the last id that a stream has given, without the first and last entry that XINFO adds.
var lastIDScript = script(`
if redis.call('EXISTS', KEYS[1]) == 0 then return '0-0' end
local info = redis.call('XINFO', 'STREAM', KEYS[1])
for i = 1, #info, 2 do
  if info[i] == 'last-generated-id' then return info[i+1] end
end
return ''
`)

// lastID returns the last id that a stream has assigned; "0-0" if there is none.
func (q *Queue) lastID(ctx context.Context, stream string) (string, error) {
	id, err := lastIDScript.Run(ctx, q.client, []string{stream}).Text()
	if err == nil && id == "" {
		err = errors.New("the server does not tell the last id")
	}
	return id, err
}

// scanBounds bounds a scan of a stream.
type scanBounds struct {
	stream, end string
	most        int // entries
	bytes       int // of entries that the server looks at
	files       int // bytes of changed_files that are read
}

// scanEntries calls f for the entries of a stream, in order, and returns how many there were.
func (q *Queue) scanEntries(ctx context.Context, s scanBounds, f func(queue.Message) error) (n int, err error) {
	for from := "-"; from != "" && n < s.most && s.bytes > 0; {
		reply, err := scanScript.Run(ctx, q.client, []string{s.stream}, from, s.end, min(pageSize, s.most-n),
			s.files).Slice()
		if err != nil {
			return n, err
		}
		if len(reply) != 4 {
			return n, errUnexpectedReply
		}
		all := entries(reply[0])
		from, _ = reply[1].(string)
		seen, _ := reply[2].(int64)
		files, _ := reply[3].(int64)
		s.bytes -= int(seen)
		s.files -= int(files)
		n += len(all)
		for _, m := range all {
			if err := f(m); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// eachEntry calls f for all entries of a stream up to an id, at most limit of them, without changed_files.
func (q *Queue) eachEntry(ctx context.Context, stream, end string, limit int, f func(queue.Message) error) error {
	_, err := q.scanEntries(ctx, scanBounds{stream: stream, end: end, most: limit, bytes: math.MaxInt}, f)
	return err
}

// readByID reads messages of the intake by id, as many as one reply may hold, and returns the remaining ids. An id
// whose entry somebody deleted is acknowledged, which removes it from the group.
func (q *Queue) readByID(ctx context.Context, ids []string) (ms []queue.Message, left []string, err error) {
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	reply, err := readByIDScript.Run(ctx, q.client, []string{q.intake()}, args...).Slice()
	if err != nil {
		return nil, nil, err
	}
	if len(reply) != 3 {
		return nil, nil, errUnexpectedReply
	}
	n, _ := reply[0].(int64)
	if n <= 0 || int(n) > len(ids) {
		return nil, nil, fmt.Errorf("read %d messages: %w", len(ids), errUnexpectedReply)
	}
	if gone := stringSlice(reply[1]); len(gone) > 0 {
		if err := q.client.XAck(ctx, q.intake(), group, gone...).Err(); err != nil {
			return nil, nil, err
		}
	}
	return entries(reply[2]), ids[n:], nil
}

// entries decodes the messages in the reply of a script.
func entries(v any) []queue.Message {
	all, _ := v.([]any)
	var ms []queue.Message
	for _, e := range all {
		pair, _ := e.([]any)
		if len(pair) != 2 {
			continue
		}
		id, _ := pair[0].(string)
		m := queue.Message{ID: id, At: queue.IDTime(id), Fields: map[string]string{}}
		fields := stringSlice(pair[1])
		for i := 0; i+1 < len(fields); i += 2 {
			m.Fields[fields[i]] = fields[i+1]
		}
		ms = append(ms, m)
	}
	return ms
}

// messages are the entries that go-redis read, cut as the scripts cut them.
func messages(read []goredis.XMessage) []queue.Message {
	ms := make([]queue.Message, len(read))
	for i, e := range read {
		ms[i] = queue.Message{ID: e.ID, At: queue.IDTime(e.ID), Fields: make(map[string]string, len(e.Values))}
		for k, v := range e.Values {
			s, _ := v.(string)
			switch {
			case k != queue.FieldFiles:
				ms[i].Fields[k] = s[:min(len(s), maxField)]
			case len(s) <= queue.MaxFilesBytes:
				ms[i].Fields[k] = s
			}
		}
	}
	return ms
}
