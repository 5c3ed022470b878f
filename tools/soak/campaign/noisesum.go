package campaign

import (
	"slices"
	"time"
)

// Lateness is what a slice measured of its noise.
type Lateness struct {
	Samples int     `json:"samples"`
	P50     float64 `json:"p50_ms"`
	P99     float64 `json:"p99_ms"`
	Worst   float64 `json:"worst_ms"`
}

// Sum is the noise of the whole slice.
func (n *Noise) Sum() Lateness {
	n.mu.Lock()
	all := slices.Clone(n.all)
	n.mu.Unlock()
	if len(all) == 0 {
		return Lateness{}
	}
	slices.Sort(all)
	at := func(p int) float64 { return ms(all[(len(all)-1)*p/100]) }
	return Lateness{Samples: len(all), P50: at(50), P99: at(99), Worst: at(100)}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
