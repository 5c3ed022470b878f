package api

import (
	"testing"

	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/prompt"
)

// counted is the value of a series; label is that of its only label, "" for none.
func counted(t *testing.T, name, label string) float64 {
	t.Helper()
	all, err := obs.Registry().Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range all {
		for _, m := range family.GetMetric() {
			if labels := m.GetLabel(); family.GetName() == name &&
				(label == "" || len(labels) == 1 && labels[0].GetValue() == label) {
				return m.GetCounter().GetValue()
			}
		}
	}
	return 0
}

// The counters are those of the process: no other test of this package runs meanwhile.
func TestAnAnswerCountsOnceForItsStatus(t *testing.T) {
	more := map[[2]string]float64{{"contextd_contexts_total", "degraded"}: 2,
		{"contextd_retrievals_total", "degraded"}: 1, {"contextd_retrievals_total", "empty"}: 1,
		{"contextd_retrieval_hits_total", ""}: 1, {"contextd_retrieval_stale_total", ""}: 1,
		{"contextd_retrieval_fallbacks_total", ""}:                 1,
		{"contextd_retrieval_reasons_total", "deadline"}:           1,
		{"contextd_retrieval_reasons_total", "memory_unavailable"}: 0,
		{"contextd_context_reasons_total", "memory_unavailable"}:   2}
	before := map[[2]string]float64{}
	for c := range more {
		before[c] = counted(t, c[0], c[1])
	}
	reasons := []string{"index_stale", "backlog", "deadline", "embedder_unavailable"}
	compiled(&prompt.Reply{Status: prompt.Degraded, Reasons: append(reasons, "memory_unavailable"),
		Retrieval: &prompt.Retrieval{Status: "degraded", Reasons: reasons, Hit: true}})
	compiled(&prompt.Reply{Status: prompt.Degraded, Reasons: []string{"memory_unavailable"}}) // without code
	retrieved("empty", nil, false, 1)
	for c, want := range more {
		if got := counted(t, c[0], c[1]) - before[c]; got != want {
			t.Errorf("%v: %v more, want %v", c, got, want)
		}
	}
}
