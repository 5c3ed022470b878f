package daemon

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/servers"
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
func (d *run) metrics() (remove func(), err error) {
	var all []func()
	remove = func() {
		for _, f := range all {
			f()
		}
	}
	q, err := d.opts.Backend.Queue()
	if err != nil {
		return nil, err
	}
	for _, c := range []prometheus.Collector{queue.Collector(q), &collector{back: d.opts.Backend, held: d.heldBack}} {
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
	held func() int
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
	fault := c.back.Ping(ctx)
	c.mu.Lock()
	if fault == nil || servers.Partial(fault) {
		if states, err := c.back.Projects(ctx, ""); err == nil {
			c.last = states
		} else if servers.Partial(err) {
			c.last = c.keep(states, err)
		}
	}
	states := c.last
	c.mu.Unlock()
	gauge := func(d *prometheus.Desc, v float64, label string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, label)
	}
	ch <- prometheus.MustNewConstMetric(heldDesc, prometheus.GaugeValue, float64(c.held()))
	for _, one := range c.back.Servers() {
		name := c.back.Name
		if one.Server() != "" {
			name += " " + one.Server()
		}
		gauge(upDesc, boolGauge(one.Mine(fault) == nil), name)
	}
	for _, s := range states {
		gauge(filesDesc, float64(s.Files), s.ID)
		gauge(chunksDesc, float64(s.Chunks), s.ID)
		gauge(staleDesc, boolGauge(s.Stale), s.ID)
	}
}

// keep is states, with the last known ones of the servers that err is of.
func (c *collector) keep(states []backend.State, err error) []backend.State {
	states = slices.DeleteFunc(states, func(s backend.State) bool { return servers.ForOwner(err, s.ProjectID()) != nil })
	for _, s := range c.last {
		if servers.ForOwner(err, s.ProjectID()) != nil {
			states = append(states, s)
		}
	}
	return states
}

func boolGauge(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
