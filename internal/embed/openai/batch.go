package openai

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contextd/contextd/internal/embed"
)

// batchTimeout is how long a batch may go without an answer, retries and pauses included: less than a worker's progress
// timeout.
const batchTimeout = 100 * time.Second

// item is one text on its way to a vector.
type item struct {
	call   *call
	text   string
	vector []float32 // set before call.done is closed
}

// call is one call of Documents.
type call struct {
	ctx  context.Context
	done chan struct{}

	left int   // items without an end; guarded by line.mu
	err  error // the first; guarded by line.mu until done is closed
}

// batcher gathers the texts of concurrent calls into batches: a full one goes at once, another when its first text has
// waited for the window, or when a request has ended and left room.
type batcher struct {
	opts Options
	ctx  context.Context // ends with the embedder
	// send returns the vectors of the first texts until an error. It calls answered each time the server has got
	// further.
	send func(ctx context.Context, texts []string, answered func()) ([][]float32, error)

	mu      sync.Mutex
	waiting []*item
	bytes   int  // of waiting
	busy    int  // requests under way
	armed   bool // a timer runs
	pace    pace
}

// wait queues texts and returns their vectors, as send makes them.
func (l *batcher) wait(ctx context.Context, texts []string) ([][]float32, error) {
	c := &call{ctx: ctx, done: make(chan struct{}), left: len(texts)}
	items := make([]*item, len(texts))
	l.mu.Lock()
	for i, t := range texts {
		items[i] = &item{call: c, text: t}
		l.bytes += len(t)
	}
	l.waiting = append(l.waiting, items...)
	l.startBatches(false)
	l.mu.Unlock()
	select {
	case <-c.done:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-l.ctx.Done():
		return nil, context.Cause(l.ctx)
	}
	if c.err != nil {
		return nil, c.err
	}
	out := make([][]float32, len(items))
	for i, it := range items {
		out[i] = it.vector
	}
	return out, nil
}

// startBatches starts requests for full batches while there is room; with due, also for a batch that is not full. The
// caller holds l.mu.
func (l *batcher) startBatches(due bool) {
	for l.busy < l.pace.parallel && len(l.waiting) > 0 {
		if !due && len(l.waiting) < l.pace.most && l.bytes < l.opts.BatchBytes {
			if !l.armed {
				l.armed = true
				time.AfterFunc(l.opts.Window, func() {
					l.mu.Lock()
					defer l.mu.Unlock()
					l.armed = false
					l.startBatches(true)
				})
			}
			return
		}
		if batch := l.nextBatch(); len(batch) > 0 {
			l.busy++
			go l.run(batch)
		}
	}
}

// nextBatch removes the next batch from the queue. It drops items whose callers have gone. The caller holds l.mu.
func (l *batcher) nextBatch() (batch []*item) {
	size, n := 0, 0
	for _, it := range l.waiting {
		gone := it.call.ctx.Err() != nil || it.call.err != nil
		if !gone && len(batch) > 0 && (len(batch) == l.pace.most || size+len(it.text) > l.opts.BatchBytes) {
			break
		}
		n++
		l.bytes -= len(it.text)
		if gone {
			it.call.end(it.call.ctx.Err())
			continue
		}
		size += len(it.text)
		batch = append(batch, it)
	}
	l.waiting = l.waiting[n:]
	return batch
}

// end notes the end of one item. line.mu is held.
func (c *call) end(err error) {
	if c.err == nil {
		c.err = err
	}
	if c.left--; c.left == 0 {
		close(c.done)
	}
}

// run sends one batch. It is given up when none of its callers waits any more.
func (l *batcher) run(batch []*item) {
	ctx, cancel := context.WithCancel(l.ctx)
	defer cancel()
	var live atomic.Int64
	calls := map[*call]bool{}
	for _, it := range batch {
		calls[it.call] = true
	}
	live.Store(int64(len(calls)))
	for c := range calls {
		stop := context.AfterFunc(c.ctx, func() {
			if live.Add(-1) == 0 {
				cancel()
			}
		})
		defer stop()
	}
	texts := make([]string, len(batch))
	for i, it := range batch {
		texts[i] = it.text
	}
	vectors, err := l.send(ctx, texts, func() {
		for c := range calls {
			embed.ReportProgress(c.ctx)
		}
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, it := range batch {
		if i < len(vectors) && vectors[i] != nil {
			it.vector = vectors[i]
			it.call.end(nil)
		} else {
			it.call.end(err)
		}
	}
	l.busy--
	l.startBatches(true)
}
