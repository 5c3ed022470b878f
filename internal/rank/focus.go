package rank

import (
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
)

// Focus scores a line of text by the question's words that it holds, each once: 0 for none.
func (q *Query) Focus(stats code.Stats) func(line string) float64 {
	s := newScorer(q, stats)
	weight := make(map[string]float64, len(q.Words))
	for i, w := range q.Words {
		weight[w.Text] = s.idf[i]
	}
	return func(line string) float64 {
		sum := 0.0
		var seen []string
		for i := 0; ; {
			start, end := lexical.NextIdent(line, i)
			if start == len(line) {
				return sum
			}
			lexical.Words(line[start:end], func(word string) {
				t := lexical.Word(word).Text
				x := weight[t]
				for _, have := range seen {
					if have == t {
						return
					}
				}
				if x > 0 {
					seen = append(seen, t)
					sum += x
				}
			})
			i = end
		}
	}
}
