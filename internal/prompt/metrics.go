package prompt

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/contextd/contextd/internal/obs"
)

var (
	retrievalTurnedOff = obs.Metric(prometheus.NewCounter(prometheus.CounterOpts{
		Name: "contextd_retrieval_off_total",
		Help: "Times that retrieval was too slow for a project and code was left out of its contexts for a while."}))
	contextItems = obs.Metric(prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "contextd_context_pieces_total", Help: "Pieces considered for contexts, by whether they were selected."},
		[]string{"selected"}))
	contextTokens = obs.Metric(prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "contextd_context_tokens", Help: "Tokens of compiled contexts.",
		Buckets: prometheus.ExponentialBuckets(250, 2, 9)}))
)

// observe counts a context.
func observe(r *Reply, e Event) {
	contextTokens.Observe(float64(r.Tokens))
	contextItems.WithLabelValues("yes").Add(float64(e.ItemsSelected))
	contextItems.WithLabelValues("no").Add(float64(e.ItemsAvailable - e.ItemsSelected))
}
