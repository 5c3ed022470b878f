package api

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/retrieve"
)

// An answer counts once in each of the counters without a label reason, so that one divided by another is a share.
var (
	retrievals = counters("contextd_retrievals_total",
		"Answers about code: searches, and compiled contexts for which code was asked. Each once.", "status")
	contexts = counters("contextd_contexts_total", "Compiled contexts, each once, whether code was asked for or not.",
		"status")

	retrievalReasons = reasonCounter("contextd_retrieval_reasons_total",
		"Reasons of answers about code; an answer counts once for each of its reasons.")
	contextReasons = reasonCounter("contextd_context_reasons_total",
		"Reasons of compiled contexts; a context counts once for each of its reasons.")

	retrievalHits = counter("contextd_retrieval_hits_total",
		"Answers about code that held some which was no guess.")
	retrievalStale = counter("contextd_retrieval_stale_total",
		"Answers about code from an index that had not caught up: index_stale, backlog or changes_waiting.")
	retrievalFallbacks = counter("contextd_retrieval_fallbacks_total",
		"Answers about code by less than the whole index in time: none, names only, without vectors, or a deadline.")

	retrievalSeconds = obs.Metric(prometheus.NewHistogram(prometheus.HistogramOpts{
		Name:    "contextd_retrieval_seconds",
		Help:    "Time to answer a search, or to compile a context for which code was asked.",
		Buckets: prometheus.ExponentialBuckets(0.0005, 2, 14)}))
)

func counter(name, help string) prometheus.Counter {
	return obs.Metric(prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help}))
}

func reasonCounter(name, help string) *prometheus.CounterVec {
	return obs.Metric(prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{"reason"}))
}

// counters count by status. All states are there from the start: what first appears at 1 never rises in a query.
func counters(name, help, label string) *prometheus.CounterVec {
	c := obs.Metric(prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{label}))
	for _, s := range []prompt.Status{prompt.OK, prompt.Empty, prompt.Degraded} {
		c.WithLabelValues(string(s))
	}
	return c
}

// Reasons that make an answer one of a stale index, or one by other means than the whole index.
var (
	stale = []retrieve.Reason{retrieve.IndexStale, retrieve.Backlog, retrieve.ChangesWaiting,
		retrieve.GenerationBehind}
	fallbacks = []retrieve.Reason{retrieve.IndexMissing, retrieve.IndexBuilding, retrieve.RedisUnreachable,
		retrieve.RedisAuth, retrieve.SearchUnsupported, retrieve.EmbedderUnavailable, retrieve.Deadline}
)

// retrieved counts an answer about code; hit: it held some that was no guess.
func retrieved(status string, reasons []string, hit bool, tookMS float64) {
	retrievalSeconds.Observe(tookMS / 1000)
	retrievals.WithLabelValues(status).Inc()
	has := func(any []retrieve.Reason) bool {
		return slices.ContainsFunc(any, func(r retrieve.Reason) bool { return slices.Contains(reasons, string(r)) })
	}
	for c, counts := range map[prometheus.Counter]bool{
		retrievalHits:      hit,
		retrievalStale:     has(stale),
		retrievalFallbacks: has(fallbacks),
	} {
		if counts {
			c.Inc()
		}
	}
	for _, r := range reasons {
		retrievalReasons.WithLabelValues(r).Inc()
	}
}

// compiled counts a context, and what it was told about code if that was asked for.
func compiled(c *prompt.Reply) {
	contexts.WithLabelValues(string(c.Status)).Inc()
	for _, r := range c.Reasons {
		contextReasons.WithLabelValues(r).Inc()
	}
	if x := c.Retrieval; x != nil {
		retrieved(x.Status, x.Reasons, x.Hit, c.TookMS)
	}
}
