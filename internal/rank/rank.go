package rank

import (
	"cmp"
	"math"
	"slices"

	"github.com/contextd/contextd/internal/code"
)

// File is a candidate.
type File struct {
	Path     code.Path
	Features *code.Features // of code.LookupFeatures for Query.Words, or with all terms
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

// Score orders the candidates for a question, best first. stats.DF belongs to q.Words.
func Score(q *Query, stats code.Stats, files []File) []Scored {
	s := newScorer(q, stats)
	for i := range files {
		s.countDefinitions(&files[i])
	}
	out := make([]Scored, len(files))
	for i := range files {
		out[i] = s.file(&files[i])
		out[i].File = i
	}
	slices.SortFunc(out, func(a, b Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(files[a.File].Path, files[b.File].Path))
	})
	return out
}

// scorer holds what is the same for all candidates of a question.
type scorer struct {
	q       *Query
	idf     []float64 // weight × idf of each word; 0 for a word that the collection lacks
	total   float64   // their sum
	unknown float64   // what the lacking words would weigh at the greatest idf
	parts   float64   // total without compounds
	avg     [code.NumFields]float64
	defines float64 // sum of the strengths with which candidates define the asked name
}

func newScorer(q *Query, stats code.Stats) *scorer {
	s := &scorer{q: q, idf: make([]float64, len(q.Words))}
	n := float64(stats.Chunks)
	for i, w := range q.weights {
		df := 0.0
		if i < len(stats.DF) {
			df = min(float64(stats.DF[i]), n)
		}
		weight := w * math.Log(1+(n-df+.5)/(df+.5))
		if df == 0 {
			s.unknown += weight
			continue
		}
		s.idf[i] = weight
		s.total += weight
		if !q.compound[i] {
			s.parts += weight
		}
	}
	for f, sum := range stats.Lens {
		s.avg[f] = max(float64(sum)/max(n, 1), 1e-9)
	}
	return s
}

func (s *scorer) file(f *File) Scored {
	var v [numFeatures]float64
	out := Scored{Chunk: -1}
	held := make([]bool, len(s.q.Words))
	best := make([]float64, 0, 10) // the ten best chunk scores, descending
	top := math.Inf(-1)
	for i := range f.Features.Chunks {
		c := &f.Features.Chunks[i]
		bm := s.chunk(c, held)
		best = insert(best, bm)
		def, sym := s.bestDefinition(c)
		v[definition] = max(v[definition], def.strength)
		show := share(bm, s.total) + def.shown
		if f.Cosines != nil {
			cos := float64(f.Cosines[i])
			v[cosine] = max(v[cosine], cos)
			show += s.weight(cosine) * max(cos, 0)
		}
		if show > top {
			top, out.Chunk, out.Symbol = show, i, sym
		}
	}
	for k, b := range best {
		v[words] += b / float64(k+1)
	}
	v[words] = share(v[words], 2.93*s.total) // 2.93: sum of 1/k for k from 1 to 10
	v[stem], v[stemExact] = s.stem(f.Path)
	strength, exact := s.symbolStrength(f)
	if strength > 0 {
		v[symbolDef] = strength * math.Sqrt(strength/s.defines)
	}
	for i, x := range v {
		w := s.weight(i)
		out.Score += w * x
		if x != 0 {
			out.Explanation = append(out.Explanation, Contribution{features[i].Name, round(x), w})
		}
	}
	out.Relevance = s.relevance(held, exact)
	return out
}

func (s *scorer) weight(feature int) float64 {
	if s.q.Symbol != nil {
		return features[feature].Symbol
	}
	return features[feature].Question
}

// chunk is the BM25F of a chunk; it marks the words that the chunk holds.
func (s *scorer) chunk(c *code.ChunkFeatures, held []bool) float64 {
	var norm [code.NumFields]float64
	for f := range norm {
		norm[f] = fieldWeight[f] / (1 - fieldNorm[f] + fieldNorm[f]*float64(c.Lens[f])/s.avg[f])
	}
	sum := 0.0
	for _, p := range c.Postings {
		tf := 0.0
		for f, n := range p.TF {
			tf += float64(n) * norm[f]
		}
		held[p.Term] = true
		sum += s.idf[p.Term] * tf / (k1 + tf)
	}
	return sum
}

// relevance is the share of the question's weight that the file holds, words that no file holds among them; 1 for the
// exact definition of the one name that is asked for.
func (s *scorer) relevance(held []bool, exact bool) float64 {
	if exact {
		return 1
	}
	sum := 0.0
	for i, h := range held {
		if h {
			sum += s.idf[i]
		}
	}
	return min(share(sum, s.total+s.unknown), 1)
}

// insert keeps the ten greatest values in descending order.
func insert(best []float64, x float64) []float64 {
	i, _ := slices.BinarySearchFunc(best, x, func(a, b float64) int { return cmp.Compare(b, a) })
	if i >= 10 {
		return best
	}
	if len(best) == 10 {
		best = best[:9]
	}
	return slices.Insert(best, i, x)
}

func share(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return part / whole
}

func round(x float64) float64 { return math.Round(x*1e4) / 1e4 }
