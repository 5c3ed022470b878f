package memory

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/contextd/contextd/internal/obs"
)

var (
	written = obs.Metric(prometheus.NewCounterVec(prometheus.CounterOpts{Name: "contextd_memory_writes_total",
		Help: "Items that were to be saved, by what became of them: saved, merged, loop, invalid, error."},
		[]string{"result"}))
	redactions = obs.Metric(prometheus.NewCounter(prometheus.CounterOpts{Name: "contextd_memory_redactions_total",
		Help: "Kinds of secrets replaced in items before they were stored."}))
	archived = obs.Metric(prometheus.NewCounter(prometheus.CounterOpts{Name: "contextd_memory_archived_total",
		Help: "Items that were put away."}))
	dropped = obs.Metric(prometheus.NewCounter(prometheus.CounterOpts{Name: "contextd_memory_dropped_total",
		Help: "Archived items that were dropped because there were too many."}))
)

// All results are there from the start, so that the first error is an increase.
func init() {
	for _, result := range []string{"saved", "merged", "loop", "invalid", "error"} {
		written.WithLabelValues(result)
	}
}
