package queue

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/contextd/contextd/internal/servers"
)

var gauges = []struct {
	desc  *prometheus.Desc
	value func(Stats) float64
}{
	{prometheus.NewDesc("contextd_queue_depth", "Projects that wait to be brought up to date.", nil, nil),
		func(s Stats) float64 { return float64(s.Depth) }},
	{prometheus.NewDesc("contextd_queue_pending_paths", "Waiting changes of all projects; a rescan counts 1.", nil,
		nil),
		func(s Stats) float64 { return float64(s.Paths) }},
	{prometheus.NewDesc("contextd_queue_oldest_age_seconds", "Age of the oldest waiting change; 0 if none waits.", nil,
		nil),
		func(s Stats) float64 { return s.Oldest.Seconds() }},
	{prometheus.NewDesc("contextd_queue_dead", "Dead letters.", nil, nil),
		func(s Stats) float64 { return float64(s.Dead) }},
	{prometheus.NewDesc("contextd_queue_inflight", "Projects that a worker has claimed.", nil, nil),
		func(s Stats) float64 { return float64(s.Inflight) }},
}

// Collector reports the Stats of q as metrics. Each scrape reads them, waiting 2 s at most; while q does not answer,
// the last known values are repeated.
func Collector(q Queue) prometheus.Collector { return &collector{q: q} }

type collector struct {
	q    Queue
	mu   sync.Mutex // guards last
	last Stats
}

func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, g := range gauges {
		ch <- g.desc
	}
}

func (c *collector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	s, err := c.q.Stats(ctx)
	c.mu.Lock()
	if err == nil || servers.Partial(err) {
		c.last = s
	}
	s = c.last
	c.mu.Unlock()
	for _, g := range gauges {
		ch <- prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, g.value(s))
	}
}
