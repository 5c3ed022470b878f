package trace

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/contextd/contextd/internal/obs"
)

const (
	maxWaiting = 2048             // spans; further ones are dropped
	maxBatch   = 512              // spans of one post
	maxReply   = 64 << 10         // bytes of a collector's answer that are read
	maxPosts   = 3                // posts of one batch
	pause      = time.Second      // before the second; the third waits for twice that
	postTime   = 10 * time.Second // of one post
	batchDelay = 5 * time.Second  // how long a span waits for others
)

// Tracer sends spans. Safe for concurrent use.
type Tracer struct {
	opts    Options
	client  *http.Client
	waiting chan span
	closing chan struct{}
	done    chan struct{}
	cancel  context.CancelFunc // ends the post that is under way

	mu      sync.Mutex // guards dropped
	dropped int        // spans since the last post that was taken
}

// New makes a tracer, which sends until Close.
func New(o Options) *Tracer {
	o.Timeout, o.Delay = cmp.Or(o.Timeout, postTime), cmp.Or(o.Delay, batchDelay)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	t := &Tracer{opts: o, waiting: make(chan span, maxWaiting), closing: make(chan struct{}), done: make(chan struct{})}
	// A redirect would carry the headers, which may hold a key, to somebody else.
	t.client = &http.Client{Timeout: o.Timeout, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	ctx, cancel := context.WithCancel(context.Background())
	t.cancel = cancel
	go t.run(ctx)
	return t
}

// Close sends what waits, as long as ctx lasts. To be called once; no stage may begin any more.
func (t *Tracer) Close(ctx context.Context) {
	defer context.AfterFunc(ctx, t.cancel)()
	close(t.closing)
	<-t.done
	t.cancel()
	t.client.CloseIdleConnections()
}

// add queues a span; no stage ever waits for a collector.
func (t *Tracer) add(s span) {
	select {
	case t.waiting <- s:
	default:
		t.drop(1, fmt.Errorf("over %d spans wait", maxWaiting))
	}
}

// run gathers batches and posts them.
func (t *Tracer) run(ctx context.Context) {
	defer close(t.done)
	tick := time.NewTicker(t.opts.Delay)
	defer tick.Stop()
	var batch []span
	post := func() {
		if len(batch) > 0 {
			t.post(ctx, batch)
			batch = nil
		}
	}
	for {
		select {
		case s := <-t.waiting:
			if batch = append(batch, s); len(batch) >= maxBatch {
				post()
			}
		case <-tick.C:
			post()
		case <-t.closing:
			for {
				select {
				case s := <-t.waiting:
					if batch = append(batch, s); len(batch) >= maxBatch {
						post()
					}
					continue
				default:
				}
				post()
				return
			}
		}
	}
}

// post sends a batch, again where the collector says that it may be taken later.
func (t *Tracer) post(ctx context.Context, batch []span) {
	body := t.opts.encode(batch)
	for i := range maxPosts {
		again, err := t.postOnce(ctx, body)
		if err == nil {
			t.mu.Lock()
			t.dropped = 0
			t.mu.Unlock()
			return
		}
		if !again || i == maxPosts-1 {
			t.drop(len(batch), err)
			return
		}
		select {
		case <-time.After(pause << i):
		case <-t.closing: // no time to wait
		case <-ctx.Done():
		}
	}
}

// postOnce posts a batch once. again: a retry may succeed.
func (t *Tracer) postOnce(ctx context.Context, body []byte) (again bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.opts.Endpoint, bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	for k, v := range t.opts.Headers {
		req.Header.Set(k, v)
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	req.Header.Set("User-Agent", "contextd/"+t.opts.Version)
	resp, err := t.client.Do(req)
	if err != nil {
		return ctx.Err() == nil, err
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, maxReply) // so the connection can be used again
	switch resp.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return false, nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		again = true
	}
	return again, fmt.Errorf("post to the collector: status %d", resp.StatusCode)
}

// drop counts spans that are lost, and says so once until a post is taken again.
func (t *Tracer) drop(n int, why error) {
	t.mu.Lock()
	first := t.dropped == 0
	t.dropped += n
	t.mu.Unlock()
	if first {
		t.opts.Log.Warn("spans dropped", obs.KeyError, why,
			"hint", "is the collector of OTEL_EXPORTER_OTLP_ENDPOINT up?")
	}
}
