package dedup

import (
	"fmt"
	"math"
)

// cosines are the similarities of each text to each live message.
func cosines(texts []string, live []int, messages []Message, embed Embedder) ([][]float64, error) {
	all := make([]string, 0, len(live)+len(texts))
	for _, i := range live {
		all = append(all, messages[i].Content)
	}
	all = append(all, texts...)
	vectors, err := embed(all)
	if err != nil {
		return nil, fmt.Errorf("embed %d texts: %w", len(all), err)
	}
	if len(vectors) != len(all) {
		return nil, fmt.Errorf("embed %d texts: got %d vectors", len(all), len(vectors))
	}
	norms := make([]float64, len(vectors))
	for i, v := range vectors {
		if len(v) != len(vectors[0]) || len(v) == 0 {
			return nil, fmt.Errorf("embed %d texts: vector %d has dimension %d, the first %d", len(all), i, len(v),
				len(vectors[0]))
		}
		if norms[i] = math.Sqrt(dot(v, v)); math.IsNaN(norms[i]) || math.IsInf(norms[i], 0) {
			return nil, fmt.Errorf("embed %d texts: vector %d is no vector of numbers", len(all), i)
		}
	}
	sims := make([][]float64, len(texts))
	for i := range texts {
		sims[i] = make([]float64, len(live))
		t := len(live) + i
		for k := range live {
			if norms[t] > 0 && norms[k] > 0 {
				sims[i][k] = min(1, dot(vectors[t], vectors[k])/(norms[t]*norms[k]))
			}
		}
	}
	return sims, nil
}

func dot(a, b []float32) float64 {
	var sum float64
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}
