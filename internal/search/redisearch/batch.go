package redisearch

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/search"
)

const (
	batchCommands = 64      // a batch travels at this many commands,
	batchBytes    = 1 << 20 // or this many bytes
	// scriptChunks is how many chunks one script writes at most; as many as pace says.
	scriptChunks = 16
	tripEvery    = 64 // pipelines after which a writer measures again how far the server is
)

// keepValue as the blob and name of a change keeps the stored ones.
const keepValue = "="

// change is one file's change. An empty entry removes the file.
type change struct {
	path, language    string
	entry, blob, name string
	add               []newChunk
	drop              []chunkID
	seq               int64 // its number; 0 if it is no change to a build that serves
}

type newChunk struct {
	id    chunkID
	words [3]string // see words
	vec   []byte
}

// args are the fields of a chunk as the scripts take them.
func (n *newChunk) args() []any { return []any{n.words[0], n.words[1], n.words[2], n.vec} }

func (n *newChunk) size() int {
	return 200 + len(n.words[0]) + len(n.words[1]) + len(n.words[2]) + len(n.vec)
}

// batch collects changes and sends them in order, one batch at a time, in the background.
type batch struct {
	w     *writer
	pace  pace
	cmds  []call
	bytes int
	sent  chan error // receives the result of the batch under way; nil: none is
}

type call struct {
	script *redis.Script
	keys   []string
	args   []any
	weight int // see pace
}

// add appends a change; when the batch is full it is sent. An error is that of an earlier batch, and final.
func (b *batch) add(c change) error {
	k, pid, ver := b.w.x.keys, b.w.pid, b.w.rec.ver
	chunks := k.chunks(pid, ver)
	lang, fid, dirs := "", "", ""
	if len(c.add) > 0 {
		lang, fid, dirs = langTag(c.language), fileTag(c.path), dirTags(c.path)
	}
	for most := b.pace.chunks(); len(c.add) > most; c.add = c.add[most:] {
		keys := []string{b.w.lock.key, k.ahead(pid, ver)}
		args := []any{b.w.lock.value, c.path, lang, fid, dirs}
		for _, n := range c.add[:most] {
			keys = append(keys, chunks+n.id.String())
			args = append(append(args, n.id.String()), n.args()...)
			b.bytes += n.size()
		}
		if err := b.push(call{writeChunksScript, keys, args, weightCall + most*weightChunk}); err != nil {
			return err
		}
	}
	keys := []string{b.w.lock.key, k.record(pid), k.files(pid, ver), k.blobs(pid, ver), k.names(pid, ver), k.ahead(pid, ver)}
	seq := ""
	if c.seq > 0 {
		seq = strconv.FormatInt(c.seq, 10)
	}
	args := []any{b.w.lock.value, c.path, seq, len(c.add), c.entry, c.blob, c.name, lang, fid, dirs}
	for _, n := range c.add {
		keys = append(keys, chunks+n.id.String())
		args = append(args, n.args()...)
		b.bytes += n.size()
	}
	for _, id := range c.drop {
		keys = append(keys, chunks+id.String())
	}
	b.bytes += 400 + len(c.entry) + len(c.blob) + len(c.name)
	return b.push(call{applyScript, keys, args, weightCall + len(c.add)*weightChunk + len(c.drop)})
}

func (b *batch) push(c call) error {
	b.cmds = append(b.cmds, c)
	if len(b.cmds) < batchCommands && b.bytes < batchBytes {
		return nil
	}
	return b.send()
}

// send waits for the batch in flight and starts the next.
func (b *batch) send() error {
	if err := b.wait(); err != nil {
		return err
	}
	if len(b.cmds) == 0 {
		return nil
	}
	cmds := b.cmds
	b.cmds, b.bytes, b.sent = nil, 0, make(chan error, 1)
	go func(done chan<- error) { done <- b.exec(cmds) }(b.sent)
	return nil
}

// wait waits until no batch is in flight.
func (b *batch) wait() error {
	if b.sent != nil {
		if err := <-b.sent; err != nil && b.w.failed == nil {
			b.w.failed = err
		}
		b.sent = nil
	}
	return b.w.failed
}

// flush sends all collected commands and waits for the result.
func (b *batch) flush() error {
	if err := b.send(); err != nil {
		return err
	}
	return b.wait()
}

// discard drops the commands that were not sent and waits for the batch in flight.
func (b *batch) discard() error {
	b.cmds, b.bytes = nil, 0
	return b.wait()
}

// batchTime is the longest that the server may take for one batch.
const batchTime = time.Minute

// exec runs scripts in pipelines of the size that pace says. Each of them stops by itself if the write lock is lost.
func (b *batch) exec(calls []call) error {
	ctx, cancel := context.WithTimeout(context.Background(), batchTime)
	defer cancel()
	for len(calls) > 0 {
		if b.pace.seen%tripEvery == 0 {
			b.measureTrip(ctx)
		}
		n, weight := b.pace.fit(calls)
		began := time.Now()
		if err := b.w.x.exec(ctx, calls[:n]); err != nil {
			return err
		}
		if pause := b.pace.sent(weight, time.Since(began)); pause > 0 {
			time.Sleep(pause)
		}
		calls = calls[n:]
	}
	return nil
}

// measureTrip tells pace how long the server takes for nothing.
func (b *batch) measureTrip(ctx context.Context) {
	for range 3 {
		began := time.Now()
		if err := b.w.x.writeClient.Ping(ctx).Err(); err == nil {
			b.pace.answered(time.Since(began))
		}
	}
}

// exec runs scripts in one pipeline.
func (x *Index) exec(ctx context.Context, cmds []call) error {
	err := x.execOnce(ctx, cmds)
	if redis.HasErrorPrefix(err, "NOSCRIPT") { // the server was started again
		if err := x.loadScripts(ctx); err != nil {
			return err
		}
		err = x.execOnce(ctx, cmds)
	}
	return err
}

func (x *Index) execOnce(ctx context.Context, cmds []call) error {
	pipe := x.writeClient.Pipeline()
	replies := make([]*redis.Cmd, len(cmds))
	for i, c := range cmds {
		replies[i] = pipe.EvalSha(ctx, c.script.Hash(), c.keys, c.args...)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return fmt.Errorf("write %d changes: %w", len(cmds), err)
	}
	for _, r := range replies {
		n, err := r.Int()
		if err != nil {
			return fmt.Errorf("write %d changes: %w", len(cmds), err)
		}
		if n == 0 {
			return search.ErrLost
		}
	}
	return nil
}

// loadScripts makes the scripts of a batch known to the server.
func (x *Index) loadScripts(ctx context.Context) error {
	for _, s := range []*redis.Script{applyScript, writeChunksScript} {
		if err := s.Load(ctx, x.writeClient).Err(); err != nil {
			return fmt.Errorf("load a script: %w", err)
		}
	}
	return nil
}
