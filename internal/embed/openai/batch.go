package openai

import (
	"context"
	"sync"
	"time"
)

// batchTimeout is how long a batch may go without an answer, retries and pauses included: less than a worker's progress
// timeout.
const batchTimeout = 100 * time.Second

// batcher gathers the texts of concurrent calls into batches: a full one goes at once, another when its first text has
// waited for the window, or when a request has ended and left room.
type batcher struct {
	opts Options
	ctx  context.Context // ends with the embedder
	// send returns the vectors of the first texts until an error. It calls answered each time the server has got
	// further.
	send func(ctx context.Context, texts []string, answered func()) ([][]float32, error)
	// made returns the vector of a text that send has made, nil if it is not known.
	made func(text string) []float32

	mu      sync.Mutex
	items   map[string]*item // by text: those that are waiting or sent, and may be joined
	waiting []*item
	bytes   int  // of waiting
	busy    int  // requests under way
	armed   bool // a timer runs
	pace    pace
}

// wait queues texts and returns their vectors, as send makes them. A text that another call has on its way is not sent
// again: two roots that hold the same file are often indexed at once.
func (l *batcher) wait(ctx context.Context, texts []string) ([][]float32, error) {
	c := &call{ctx: ctx, done: make(chan struct{}), left: len(texts)}
	items := make([]*item, len(texts))
	l.mu.Lock()
	for i, t := range texts {
		items[i] = l.join(c, t)
	}
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

// join adds a call to the item of a text, which is queued if it is new. The caller holds l.mu: under it an item that
// ends leaves l.items after its vector was kept, so that there is no moment at which neither knows of it.
func (l *batcher) join(c *call, text string) *item {
	it := l.items[text]
	if it == nil {
		it = &item{text: text, vector: l.made(text)}
		if it.vector == nil {
			l.items[text], l.waiting = it, append(l.waiting, it)
			l.bytes += len(text)
		}
	}
	if it.vector != nil {
		c.end(nil)
		return it
	}
	it.calls = append(it.calls, c)
	if it.flight != nil {
		it.flight.add(c)
	}
	return it
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
			go l.run(l.takeOff(batch))
		}
	}
}

// nextBatch removes the next batch from the queue. It drops items whose callers have gone. The caller holds l.mu.
func (l *batcher) nextBatch() (batch []*item) {
	size, n := 0, 0
	for _, it := range l.waiting {
		gone := !it.wanted()
		if !gone && len(batch) > 0 && (len(batch) == l.pace.most || size+len(it.text) > l.opts.BatchBytes) {
			break
		}
		n++
		l.bytes -= len(it.text)
		if gone {
			delete(l.items, it.text)
			it.end(context.Canceled)
			continue
		}
		size += len(it.text)
		batch = append(batch, it)
	}
	l.waiting = l.waiting[n:]
	return batch
}

// run sends one batch. It is given up when none of its callers waits any more.
func (l *batcher) run(f *flight) {
	defer f.cancel()
	texts := make([]string, len(f.items))
	for i, it := range f.items {
		texts[i] = it.text
	}
	vectors, err := l.send(f.ctx, texts, f.progressed)
	l.mu.Lock()
	defer l.mu.Unlock()
	f.land()
	for i, it := range f.items {
		if i < len(vectors) && vectors[i] != nil {
			it.vector = vectors[i]
			it.end(nil)
		} else {
			it.end(err)
		}
	}
	l.busy--
	l.startBatches(true)
}
