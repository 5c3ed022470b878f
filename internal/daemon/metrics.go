package daemon

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/queue"
)

var skipped = obs.Metric(prometheus.NewCounterVec(prometheus.CounterOpts{Name: "contextd_index_skipped_total",
	Help: "Files and folders that a run left out, by reason."}, []string{"reason"}))

var (
	upDesc     = prometheus.NewDesc("contextd_backend_up", "1 while the store answers.", []string{"backend"}, nil)
	filesDesc  = prometheus.NewDesc("contextd_index_files", "Indexed files of a project.", []string{"project"}, nil)
	chunksDesc = prometheus.NewDesc("contextd_index_chunks", "Chunks of a project's indexed files.",
		[]string{"project"}, nil)
	staleDesc = prometheus.NewDesc("contextd_index_stale",
		"1 while a change of a project waits for over a minute, or its last refresh failed.", []string{"project"}, nil)
	heldDesc = prometheus.NewDesc("contextd_queue_held_back",
		"Changes of watched folders that the queue does not take; a rescan counts 1.", nil, nil)
)

// metrics registers the collectors that read the store at each scrape.
func (d *daemon) metrics() (remove func(), err error) {
	var all []func()
	remove = func() {
		for _, f := range all {
			f()
		}
	}
	for _, c := range []prometheus.Collector{queue.Collector(d.queue), &collector{back: d.opts.Backend, held: d.held}} {
		r, err := obs.Collect(c)
		if err != nil {
			remove()
			return nil, err
		}
		all = append(all, r)
	}
	return remove, nil
}

// collector reports the state of the store and its projects. While the store does not answer, the last known projects
// are repeated.
type collector struct {
	back *backend.Backend
	held *heldBack
	mu   sync.Mutex // guards last
	last []backend.State
}

func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{upDesc, filesDesc, chunksDesc, staleDesc, heldDesc} {
		ch <- d
	}
}

func (c *collector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	up := c.back.Ping(ctx) == nil
	c.mu.Lock()
	if up {
		if states, err := c.back.Projects(ctx, ""); err == nil {
			c.last = states
		}
	}
	states := c.last
	c.mu.Unlock()
	gauge := func(d *prometheus.Desc, v float64, label string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, label)
	}
	ch <- prometheus.MustNewConstMetric(heldDesc, prometheus.GaugeValue, float64(c.held.count()))
	gauge(upDesc, boolGauge(up), c.back.Name)
	for _, s := range states {
		gauge(filesDesc, float64(s.Files), s.ID)
		gauge(chunksDesc, float64(s.Chunks), s.ID)
		gauge(staleDesc, boolGauge(s.Stale), s.ID)
	}
}

func boolGauge(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
