package api

import (
	"context"
	"net/http"
	"sync"
	"time"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/servers"
	"github.com/contextd/contextd/internal/wire"
)

const (
	sampleEvery = 10 * time.Second // between two samples of the queue
	samplesKept = 360              // an hour of them
)

// queueHistory keeps the last samples of the queue, the oldest first. Safe for concurrent use.
type queueHistory struct {
	mu      sync.Mutex
	samples []client.QueueSample
}

// add appends a sample; the oldest goes where there are too many.
func (h *queueHistory) add(s client.QueueSample) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.samples) == samplesKept {
		h.samples = h.samples[:copy(h.samples, h.samples[1:])]
	}
	h.samples = append(h.samples, s)
}

// all is a copy of the samples.
func (h *queueHistory) all() []client.QueueSample {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]client.QueueSample{}, h.samples...)
}

// sample adds the counts that stats tells, at once and every sampleEvery until ctx ends. A time at which the store does
// not tell is left out.
func (h *queueHistory) sample(
	ctx context.Context, stats func(context.Context) (queue.Stats, error), now func() time.Time,
) {
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for {
		look, cancel := context.WithTimeout(ctx, lookTime)
		st, err := stats(look)
		cancel()
		if err == nil || servers.Partial(err) {
			h.add(client.QueueSample{At: wire.Time(now()), Depth: st.Depth, Inflight: st.Inflight, Dead: st.Dead})
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (s *Server) getQueueHistory(http.ResponseWriter, *http.Request) (reply, error) {
	return ok(client.QueueHistory{EveryMS: sampleEvery.Milliseconds(), Samples: s.queue.all()})
}
