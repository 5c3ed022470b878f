package retrieve

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/rank"
)

// What the relation of a chunk to another is made of: the cosine of their vectors, the share of the other's words that
// it holds, weighed by how rare they are, and how much its file changed for the like, or along with the other's.
const (
	likeMeaning = .5
	likeWords   = .4
	likeHistory = .1
)

// order scores the candidates, best first.
func (s *serving) order() []rank.Scored {
	if s.apart != nil {
		return s.orderByRelation()
	}
	return rank.Score(s.query, s.stats, s.files)
}

// orderByRelation is order by the relation to the chunk that is set apart. Each file stands with its best chunk other
// than that. What a question would be worth does not hold here: a chunk asks for everything that it says.
func (s *serving) orderByRelation() (order []rank.Scored) {
	weights := make([]float64, len(s.query.Words))
	all := 0.0
	for i := range weights {
		weights[i] = math.Log(1 + float64(s.stats.Chunks)/float64(max(s.stats.DF[i], 1)))
		all += weights[i]
	}
	meaning, whole := likeMeaning, 1.0
	if len(s.vector) == 0 {
		meaning, whole = 0, 1-likeMeaning
	}
	for i := range s.files {
		f := &s.files[i]
		best := rank.Scored{File: i, Chunk: -1}
		for k := range f.Features.Chunks {
			c := &f.Features.Chunks[k]
			if a := s.apart; f.Path == a.path && c.Span.Start <= a.span.End && a.span.Start <= c.Span.End {
				continue
			}
			words, cosine := 0.0, 0.0
			for _, p := range c.Postings {
				if p.Term < len(weights) {
					words += weights[p.Term]
				}
			}
			if k < len(f.Cosines) {
				cosine = max(0, float64(f.Cosines[k]))
			}
			score := (meaning*cosine + likeWords*words/max(all, 1e-9) + likeHistory*min(1, f.History)) / whole
			if score > best.Relevance {
				best.Chunk, best.Relevance, best.Symbol = k, min(1, score), code.Symbol{}
				best.Explanation = []rank.Contribution{{Feature: "like_meaning", Value: cosine,
					Weight: meaning / whole},
					{Feature: "like_words", Value: words / max(all, 1e-9), Weight: likeWords / whole},
					{Feature: "like_history", Value: min(1, f.History), Weight: likeHistory / whole}}
				if len(c.Symbols) > 0 {
					best.Symbol = c.Symbols[0]
				}
			}
		}
		if best.Chunk >= 0 {
			order = append(order, best)
		}
	}
	slices.SortFunc(order, func(a, b rank.Scored) int {
		return cmp.Or(cmp.Compare(b.Relevance, a.Relevance),
			strings.Compare(s.files[a.File].Path, s.files[b.File].Path))
	})
	return order
}
