package api

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/contextd/contextd/internal/queue"
)

const (
	sampleEvery = 10 * time.Second // between two samples of the queue
	samplesKept = 360              // an hour of them
)

// queueSample is the counts of the queue at a time.
type queueSample struct {
	At       string `json:"at"`
	Depth    int    `json:"depth"`
	Inflight int    `json:"inflight"`
	Dead     int    `json:"dead"`
}

// queueHistory keeps the last samples of the queue, the oldest first. Safe for concurrent use.
type queueHistory struct {
	mu      sync.Mutex
	samples []queueSample
}

// add appends a sample; the oldest goes where there are too many.
func (h *queueHistory) add(s queueSample) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.samples) == samplesKept {
		h.samples = h.samples[:copy(h.samples, h.samples[1:])]
	}
	h.samples = append(h.samples, s)
}

// all is a copy of the samples.
func (h *queueHistory) all() []queueSample {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]queueSample{}, h.samples...)
}

// sample adds the counts that stats tells, at once and every sampleEvery until ctx ends. A time at which the store does not tell is left out.
func (h *queueHistory) sample(ctx context.Context, stats func(context.Context) (queue.Stats, error), now func() time.Time) {
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for {
		look, cancel := context.WithTimeout(ctx, lookTime)
		st, err := stats(look)
		cancel()
		if err == nil {
			h.add(queueSample{stamp(now()), st.Depth, st.Inflight, st.Dead})
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (s *Server) getQueueHistory(http.ResponseWriter, *http.Request) (reply, error) {
	return ok(map[string]any{"every_ms": sampleEvery.Milliseconds(), "samples": s.queue.all()})
}
