package rank

import (
	"cmp"
	"math"
	"slices"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/search/blob"
)

// likelihoodPrior is the weight of the collection beside a file, in tokens; a chunk that holds a word is taken to hold
// it twice, since the index counts chunks.
const (
	likelihoodPrior = 500
	perChunk        = 2
)

// scorer holds what is the same for all candidates of a question, and scratch space.
type scorer struct {
	q       *Query
	idf     []float64 // weight × idf of each word; 0 for a word that the collection lacks
	total   float64   // their sum
	unknown float64   // what the lacking words would weigh at the greatest idf
	named   []float64 // idf, but 0 for a compound: names are compared part by part
	parts   float64   // their sum
	rarity  []float64 // chance that a token of the collection is the word; 0: it lacks it
	weights float64   // sum of the weights of words that are no compounds, without idf
	// of a prior: a word that asks for such files stands in most chunks, so it asks for nothing
	common  [numFeatures]bool
	avg     [code.NumFields]float64
	comment float64     // tokens of comments a file, on average
	pairOf  []int       // of each term of q.pairs, in order: the pair
	paired  []bool      // which of q.pairs the file has
	defines []identUse  // of each of q.idents
	joined  []string    // each of q.idents, joined
	voc     *vocabulary // set by Score

	tf    []float64   // of each word, in a chunk
	file  []fileCount // of each word, in a file
	words []int       // those of tf that are not 0
}

// fileCount is how often a file holds a word.
type fileCount struct{ text, comment, defs float64 }

func newScorer(q *Query, stats code.Stats) *scorer {
	n := len(q.words)
	s := &scorer{q: q, idf: make([]float64, n), named: make([]float64, n), rarity: make([]float64, n),
		tf: make([]float64, n), file: make([]fileCount, n), defines: make([]identUse, len(q.idents))}
	for i := range q.idents {
		s.joined = append(s.joined, lexical.Join(q.idents[i].Name))
	}
	for i := range q.pairs {
		for range q.pairs[i].terms {
			s.pairOf = append(s.pairOf, i)
		}
	}
	s.paired = make([]bool, len(q.pairs))
	chunks, tokens := float64(stats.Chunks), float64(stats.Lens[code.Body]+stats.Lens[code.Comment])
	for i, w := range q.words {
		df := 0.0
		if i < len(stats.DF) {
			df = min(float64(stats.DF[i]), chunks)
		}
		for _, p := range priors {
			if p.asked[w.part] && df > commonWord*chunks {
				s.common[p.feature] = true
			}
		}
		idf := func(df float64) float64 { return w.weight * math.Log(1+(chunks-df+.5)/(df+.5)) }
		if df > 0 {
			s.idf[i] = idf(df)
			s.total += s.idf[i]
			s.rarity[i] = (perChunk*df + .5) / (tokens + 1)
		} else if !(w.form && w.compound) && !(w.whole > 0 && w.whole < len(stats.DF) && stats.DF[w.whole] > 0) {
			s.unknown += idf(0)
		}
		if !w.compound {
			s.named[i] = s.idf[i]
			s.parts += s.named[i]
			if df > 0 {
				s.weights += w.weight
			}
		}
	}
	for f, sum := range stats.Lens {
		s.avg[f] = max(float64(sum)/max(chunks, 1), 1e-9)
	}
	s.comment = max(float64(stats.Lens[code.Comment])/max(float64(stats.Files), 1), 1e-9)
	return s
}

// text computes the features of a file's words and vectors, and picks the chunk to show.
func (s *scorer) text(f *File, r *row) {
	clear(s.file)
	clear(s.paired)
	best := make([]float64, 0, 10) // the ten best chunk scores, descending
	var cos []float64
	names, shown := r.names, noneShown
	tokens, commented, weighed, length := 0, 0, 0.0, 0.0
	for i := range f.Features.Chunks {
		c := &f.Features.Chunks[i]
		bm := s.chunk(c, r)
		best = insert(best, bm, 10)
		r.chunks = append(r.chunks, bm)
		tokens += c.Lens[code.Body] + c.Lens[code.Comment]
		commented += c.Lens[code.Comment]
		def, sym := s.bestDefinition(c, names[:len(c.Symbols)])
		names = names[len(c.Symbols):]
		show := showWords*share(bm, s.total) + def
		if f.Cosines != nil {
			x, n := float64(f.Cosines[i]), math.Sqrt(float64(c.Lens[code.Body]+c.Lens[code.Comment]+1))
			cos = insert(cos, x, 3)
			weighed, length = weighed+n*x, length+n
			show += showCosine[s.q.Shape] * max(x, 0)
		}
		for k := len(shown) - 1; k >= 0 && show > shown[k].show; k-- {
			if k+1 < len(shown) {
				shown[k+1] = shown[k]
			}
			shown[k] = shownChunk{i, show, sym}
		}
	}
	r.shown(&shown, s.q.Shape)
	for k, b := range best {
		r.v[words] += b / float64(k+1)
	}
	r.v[words] = share(r.v[words], 2.93*s.total) // 2.93: sum of 1/k for k from 1 to 10
	if len(best) > 0 {
		r.best = best[0]
	}
	for k, c := range cos {
		if k == 0 {
			r.v[cosine] = c
		}
		r.v[cosineTop] += c / float64(len(cos))
	}
	r.v[cosineFile] = share(weighed, length)
	s.wholeFile(r, float64(tokens), float64(commented))
}

// wholeFile computes the two features that count words over the whole file.
func (s *scorer) wholeFile(r *row, tokens, commented float64) {
	ql, com := s.weights*math.Log(likelihoodPrior/(likelihoodPrior+tokens)), 0.0
	for i := range s.file {
		n := &s.file[i]
		if s.rarity[i] > 0 && !s.q.words[i].compound {
			ql += s.q.words[i].weight * math.Log(1+(n.text+n.comment+3*n.defs)/(likelihoodPrior*s.rarity[i]))
		}
		if n.comment > 0 {
			x := n.comment / (.5 + .5*commented/s.comment)
			com += s.idf[i] * x / (1.2 + x)
		}
	}
	r.v[likelihood] = share(ql, 5*s.weights)
	r.v[comments] = share(com, s.total)
	r.v[docShare] = share(commented, tokens)
	r.v[coverage] = s.partsHeld(r)
	r.v[pairs] = s.pairsHeld()
}

// partsHeld is the share of the question's weight that the file holds, compounds aside.
func (s *scorer) partsHeld(r *row) float64 {
	sum := 0.0
	for i, h := range r.held {
		if h {
			sum += s.named[i]
		}
	}
	return share(sum, s.parts)
}

// chunk is the BM25F of a chunk; it marks the words that the chunk holds and counts them for the file, in r and s.
func (s *scorer) chunk(c *blob.ChunkFeatures, r *row) float64 {
	var norm [code.NumFields]float64
	for f := range norm {
		norm[f] = fieldWeight[f] / (1 - fieldNorm[f] + fieldNorm[f]*float64(c.Lens[f])/s.avg[f])
	}
	s.words = s.words[:0]
	together := 0.0
	for _, p := range c.Postings {
		word, w := p.Term, 1.0
		if word >= len(s.tf)+len(s.q.pooled) {
			s.paired[s.pairOf[word-len(s.tf)-len(s.q.pooled)]] = true
			continue
		}
		if word >= len(s.tf) {
			word, w = s.q.pooled[word-len(s.tf)].word, relatedWeight[s.q.Shape]
		} else {
			r.held[word] = true
			together += s.named[word]
		}
		tf := 0.0
		for f, n := range p.TF {
			tf += float64(n) * norm[f]
		}
		if s.tf[word] == 0 {
			s.words = append(s.words, word)
		}
		s.tf[word] += w * tf
		n := &s.file[word]
		n.text += w * float64(p.TF[code.Body])
		n.comment += w * float64(p.TF[code.Comment])
		n.defs += w * float64(p.TF[code.Defs])
	}
	r.together = max(r.together, together)
	sum := 0.0
	for _, word := range s.words {
		sum += s.idf[word] * s.tf[word] / (k1 + s.tf[word])
		s.tf[word] = 0
	}
	return sum
}

// covered is the share of the question's weight that the file holds, words that no file holds among them.
func (s *scorer) covered(r *row) float64 {
	sum := 0.0
	for i, h := range r.held {
		if h {
			sum += s.idf[i]
		}
	}
	return min(share(sum, s.total+s.unknown), 1)
}

// insert keeps the n greatest values in descending order.
func insert(best []float64, x float64, n int) []float64 {
	i, _ := slices.BinarySearchFunc(best, x, func(a, b float64) int { return cmp.Compare(b, a) })
	if i >= n {
		return best
	}
	if len(best) == n {
		best = best[:n-1]
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
