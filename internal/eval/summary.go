package eval

import (
	"math/rand/v2"
	"slices"
)

// resamples is the number of times that the questions are drawn again for an interval.
const resamples = 1000

// Mean is a mean with the ends of its 95 % confidence interval.
type Mean struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Summary is what Summarize returns.
type Summary struct {
	Questions int  `json:"questions"`
	NDCG      Mean `json:"ndcg@10"`
	Recall1   Mean `json:"recall@1"`
	Recall5   Mean `json:"recall@5"`
	Recall10  Mean `json:"recall@10"`
	MRR       Mean `json:"mrr"`
}

// Summarize gives the means over all questions. The same measures always give the same intervals.
func Summarize(all []Measures) Summary {
	of := func(value func(*Measures) float64) Mean {
		values := make([]float64, len(all))
		for i := range all {
			values[i] = value(&all[i])
		}
		return mean(values)
	}
	return Summary{
		Questions: len(all),
		NDCG:      of(func(m *Measures) float64 { return m.NDCG }),
		Recall1:   of(func(m *Measures) float64 { return m.Recall1 }),
		Recall5:   of(func(m *Measures) float64 { return m.Recall5 }),
		Recall10:  of(func(m *Measures) float64 { return m.Recall10 }),
		MRR:       of(func(m *Measures) float64 { return m.MRR }),
	}
}

func mean(values []float64) (m Mean) {
	if len(values) == 0 {
		return m
	}
	n := float64(len(values))
	for _, v := range values {
		m.Mean += v / n
	}
	draw := rand.New(rand.NewPCG(1, 2))
	means := make([]float64, resamples)
	for i := range means {
		for range values {
			means[i] += values[draw.IntN(len(values))] / n
		}
	}
	slices.Sort(means)
	m.Low, m.High = means[resamples*25/1000], means[resamples*975/1000-1]
	return m
}
