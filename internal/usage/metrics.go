package usage

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/contextd/contextd/internal/obs"
)

var (
	precision = obs.Metric(prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "contextd_context_precision",
		Help: "Share of the items of prompts that the agent referenced, of those with feedback since the start of this process."},
		[]string{"agent_kind", "profile"}))
	outcomes = obs.Metric(prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "contextd_context_items_total",
		Help: "Items of prompts with feedback, by what became of them; missed: what the agent had to find for itself."},
		[]string{"agent_kind", "profile", "outcome"}))
)

// observed are the counts of this process. It bounds the labels: names come from requests.
var observed struct {
	sync.Mutex
	all []Precision
}

// observe moves the metrics. An item that is judged better than before changes the precision; the counters, which
// cannot fall, count its last outcome beside the first.
func observe(add Precision) {
	if add.none() {
		return
	}
	observed.Lock()
	defer observed.Unlock()
	observed.all = addTo(observed.all, add)
	for _, p := range observed.all {
		if p.AgentKind != add.AgentKind || p.Profile != add.Profile {
			continue
		}
		if p.Shown > 0 {
			precision.WithLabelValues(p.AgentKind, p.Profile).Set(p.Share())
		}
		for outcome, n := range map[string]int{
			"used":      add.Used,
			"refetched": add.Refetched,
			"dead":      add.Dead(),
			"missed":    add.Missed,
		} {
			if n > 0 {
				outcomes.WithLabelValues(p.AgentKind, p.Profile, outcome).Add(float64(n))
			}
		}
	}
}
