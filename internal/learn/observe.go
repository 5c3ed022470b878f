package learn

import (
	"math"

	"github.com/contextd/contextd/internal/receipt"
)

// Observation is a task that ended, and what its contexts looked like.
type Observation struct {
	Succeeded bool      `json:"ok"`
	Alike     string    `json:"alike"`    // mode and complexity: only tasks of the same are compared
	Measures  []float64 `json:"measures"` // in the order of numbers, the mean of the task's contexts
}

// Group is for whom is learnt: a kind of agent under one profile.
type Group struct {
	AgentKind string `json:"agent_kind"`
	Profile   string `json:"profile"`
}

// observe measures the contexts of one task by group, each of which counts it once.
func observe(receipts []*receipt.Receipt, succeeded bool) map[Group]Observation {
	out, n := map[Group]Observation{}, map[Group]float64{}
	for _, r := range receipts {
		if r.Fingerprint == nil {
			continue
		}
		g := Group{r.AgentKind, r.Profile}
		o, ok := out[g]
		if !ok { // the newest context tells what the task was
			o = Observation{Succeeded: succeeded, Alike: r.Mode + " " + string(r.Fingerprint.Complexity),
				Measures: make([]float64, len(numbers))}
		}
		n[g]++
		for i := range numbers {
			if x := numbers[i].measure(r); !math.IsNaN(x) && !math.IsInf(x, 0) {
				o.Measures[i] += x
			}
		}
		out[g] = o
	}
	for g, o := range out {
		for i := range o.Measures {
			o.Measures[i] = round(o.Measures[i] / n[g])
		}
	}
	return out
}
