package rank

import (
	"cmp"
	"slices"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search/blob"
)

// File is a candidate.
type File struct {
	Path     code.Path
	Features *blob.Features // of blob.LookupFeatures for Query.Lookups
	Blob     string         // what Features was read from; "": its chunks cite nothing
	Cosines  []float32      // of each chunk with the question; nil: none
	History  float64        // from 0 to 1: how much past changes that read like the question changed it
}

// Scored is a candidate with its place in the order.
type Scored struct {
	File      int // index into the candidates
	Chunk     int // its best chunk
	Score     float64
	Relevance float64 // from 0 to 1: the chance that it answers
	Covered   float64 // share of the question's weight that the file holds
	// share of the question's weight in words that the collection has that one chunk holds at most, compounds aside
	Together    float64
	Symbol      code.Symbol // the definition that speaks most for the chunk; zero if it defines nothing
	Explanation []Contribution
	Further     []Further // other chunks of the file that are worth showing, the best first; at most MaxFurther
}

// Contribution is what one feature adds to a score.
type Contribution struct {
	Feature string  `json:"feature"`
	Value   float64 `json:"value"`
	Weight  float64 `json:"weight"`
}

// row is what becomes known of a candidate.
type row struct {
	v        [numFeatures]float64
	best     float64    // BM25F of its best chunk
	umbrella bool       // it only passes other files on
	together float64    // the greatest weight of Query.Words that a chunk holds
	held     []bool     // which of Query.Words it holds
	idents   []identDef // of Query.idents
	exact    bool       // it defines the name that is asked for, exactly
	standing standing   // to that name
	namesake bool       // the file is named after it
	chunk    int
	symbol   code.Symbol
	more     []Further
	chunks   []float64  // BM25F of each of its chunks
	names    []*nameFit // of each of its definitions, in order
}

// first is 1 for a file that stands before all that are not: it defines the very name that the question is.
func (r *row) first() int {
	if r.standing == defines {
		return 1
	}
	return 0
}

// newRows makes the rows of candidates, with room for all that they will hold.
func newRows(files []File, words int) []row {
	chunks, symbols := 0, 0
	for i := range files {
		chunks += len(files[i].Features.Chunks)
		for k := range files[i].Features.Chunks {
			symbols += len(files[i].Features.Chunks[k].Symbols)
		}
	}
	rows, held, scores, names := make([]row, len(files)), make([]bool, len(files)*words), make([]float64, chunks),
		make([]*nameFit, symbols)
	more := make([]Further, MaxFurther*len(files))
	for i := range rows {
		c := files[i].Features.Chunks
		n := 0
		for k := range c {
			n += len(c[k].Symbols)
		}
		rows[i] = row{chunk: -1, held: held[:words:words], chunks: scores[:0:len(c)], names: names[:0:n],
			more: more[:0:MaxFurther]}
		held, scores, names, more = held[words:], scores[len(c):], names[n:], more[MaxFurther:]
	}
	return rows
}

// Score orders the candidates for a question, best first. stats.DF belongs to q.Words.
func Score(q *Query, stats code.Stats, files []File) []Scored {
	files = q.level(files)
	s := newScorer(q, stats)
	s.voc = borrow()
	rows, best := newRows(files, len(q.Words)), 0.0
	for i := range files {
		if s.fitNames(&files[i], &rows[i]); len(q.idents) > 0 {
			s.spell(&files[i], &rows[i])
		}
	}
	for i := range files {
		r := &rows[i]
		s.text(&files[i], r)
		s.path(files[i].Path, r)
		s.definedAs(&files[i], r)
		if q.Symbol != nil {
			s.stand(&files[i], r)
		}
		r.v[history] = files[i].History
		r.umbrella = files[i].Features.Umbrella
		best = max(best, r.best)
	}
	s.markOutdated(files, rows)
	s.markParts(files, rows)
	s.cite(files, rows)
	out := make([]Scored, len(files))
	for i := range rows {
		s.shareNames(&rows[i])
		rows[i].v[bestChunk] = share(rows[i].best, best)
	}
	s.keepCompany(files, rows)
	for i := range rows {
		out[i] = s.sum(&rows[i])
		out[i].File = i
	}
	slices.SortFunc(out, func(a, b Scored) int {
		return cmp.Or(cmp.Compare(rows[b.File].first(), rows[a.File].first()), cmp.Compare(b.Score, a.Score),
			cmp.Compare(files[a.File].Path, files[b.File].Path))
	})
	s.judge(out, rows, stats.Files)
	s.voc.giveBack()
	return out
}

// score is the sum of a candidate's features, weighed.
func (s *scorer) score(r *row) (sum float64) {
	table := features()
	for i, x := range r.v {
		sum += table[i].Weights[s.q.Shape] * x
	}
	return sum
}

// sum is a candidate with its score, explained.
func (s *scorer) sum(r *row) Scored {
	out := Scored{Chunk: r.chunk, Symbol: r.symbol, Score: s.score(r), Covered: s.covered(r),
		Together: share(r.together, s.parts)}
	if s.q.Symbol == nil || r.exact { // who asks for a name wants what defines it, not all that speaks of it
		out.Further = r.more
	}
	table, n := features(), 0
	for _, x := range r.v {
		if x != 0 {
			n++
		}
	}
	out.Explanation = make([]Contribution, 0, n)
	for i, x := range r.v {
		if x == 0 {
			continue
		}
		out.Explanation = append(out.Explanation, Contribution{table[i].Name, round(x), table[i].Weights[s.q.Shape]})
	}
	return out
}
