package rank

import (
	"cmp"
	"slices"

	"github.com/contextd/contextd/internal/code"
)

// File is a candidate.
type File struct {
	Path     code.Path
	Features *code.Features // of code.LookupFeatures for Query.Lookups
	Cosines  []float32      // of each chunk with the question; nil: none
}

// Scored is a candidate with its place in the order.
type Scored struct {
	File        int // index into the candidates
	Chunk       int // its best chunk
	Score       float64
	Relevance   float64     // from 0 to 1
	Symbol      code.Symbol // the definition that speaks most for the chunk; zero if it defines nothing
	Explanation []Contribution
}

// Contribution is what one feature adds to a score.
type Contribution struct {
	Feature string  `json:"feature"`
	Value   float64 `json:"value"`
	Weight  float64 `json:"weight"`
}

// row is what becomes known of a candidate.
type row struct {
	v      [numFeatures]float64
	best   float64    // BM25F of its best chunk
	held   []bool     // which of Query.Words it holds
	idents []identDef // of Query.idents
	exact  bool       // it defines the name that is asked for, exactly
	chunk  int
	symbol code.Symbol
}

// Score orders the candidates for a question, best first. stats.DF belongs to q.Words.
func Score(q *Query, stats code.Stats, files []File) []Scored {
	s := newScorer(q, stats)
	for i := range files {
		if len(q.idents) > 0 {
			s.spell(&files[i])
		}
	}
	rows := make([]row, len(files))
	held := make([]bool, len(files)*len(q.Words))
	best := 0.0
	for i := range files {
		r := &rows[i]
		r.chunk, r.held = -1, held[i*len(q.Words):][:len(q.Words)]
		s.text(&files[i], r)
		s.path(files[i].Path, r)
		s.definedAs(&files[i], r)
		best = max(best, r.best)
	}
	s.markOutdated(files, rows)
	out := make([]Scored, len(files))
	for i := range rows {
		s.shareNames(&rows[i])
		rows[i].v[bestChunk] = share(rows[i].best, best)
		out[i] = s.sum(&rows[i])
		out[i].File = i
	}
	slices.SortFunc(out, func(a, b Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(files[a.File].Path, files[b.File].Path))
	})
	return out
}

// sum weighs the features of a candidate.
func (s *scorer) sum(r *row) Scored {
	out := Scored{Chunk: r.chunk, Symbol: r.symbol, Relevance: s.relevance(r)}
	table := features()
	for i, x := range r.v {
		if x == 0 {
			continue
		}
		w := table[i].Weights[s.q.Shape]
		out.Score += w * x
		out.Explanation = append(out.Explanation, Contribution{table[i].Name, round(x), w})
	}
	return out
}
