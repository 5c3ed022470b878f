package obs

import (
	"github.com/prometheus/client_golang/prometheus"
)

// The metrics of embedding stand here because each embedder and its caller move them.
var (
	// EmbedSeconds observes each batch of texts that was embedded.
	EmbedSeconds = Metric(prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "contextd_embed_seconds", Help: "Time to embed one batch of texts.",
		Buckets: prometheus.ExponentialBuckets(0.0005, 4, 9)}))
	// EmbedErrors counts failed batches by kind of failure.
	EmbedErrors = Metric(prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "contextd_embed_errors_total", Help: "Batches of texts that could not be embedded."}, []string{"kind"}))
	// EmbedBreakerOpen is 1 while an embedder is left alone because it failed.
	EmbedBreakerOpen = Metric(prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "contextd_embed_breaker_open", Help: "1 while the embedder is left alone because it failed."}))
)
