package rank

import (
	"math"
	"slices"
)

// FittedTo names the embedder whose cosines weights.txt and relevance.go were fitted to. Those of any other are brought
// to its scale first: some models spread what has nothing to do with a question over .7 to .9, where here even an
// answer has .5.
const FittedTo = "static/code-static-20261127"

// What the best chunks of the candidates for a question have with that embedder (dev questions): the median over the
// candidates, and the distance from the first quartile to the third. The distance is .156; three quarters of it are
// taken, since what nobody measured should not decide: a poorer table is worth more with less of it, the fitted one
// with any is worth the same.
const (
	usualLevel  = .24
	usualSpread = .117
)

// lackingCosine stands in for a chunk without a vector beside others that have one. It neither lifts nor sinks a file.
const lackingCosine = .2

// leastSpread is a distance between quartiles that tells nothing: vectors are kept in 8 bits.
const leastSpread = .002

// settled is how many candidates' spread is believed half.
const settled = 2

// level gives the candidates cosines on the scale that the weights know: themselves if FittedTo made them, else moved
// and stretched so that those of the best chunks lie as usual. So only their order and their distances to each other
// count, question by question: how near the best of them is to the question is not known any more, and judge takes none
// for nearer than usual. Where the candidates have nothing to tell them apart, they have no cosines.
func (q *Query) level(files []File) []File {
	if q.Embedder == FittedTo {
		return files
	}
	best, chunks := make([]float64, 0, len(files)), 0
	for i := range files {
		top := math.Inf(-1)
		for _, c := range files[i].Cosines {
			if hasVector(c) {
				top = max(top, float64(c))
			}
		}
		if chunks += len(files[i].Features.Chunks); !math.IsInf(top, 0) {
			best = append(best, top)
		}
	}
	if len(best) == 0 && !slices.ContainsFunc(files, func(f File) bool { return f.Cosines != nil }) {
		return files
	}
	slices.Sort(best)
	spread := quantile(best, .75) - quantile(best, .25)
	out, room := slices.Clone(files), make([]float32, 0, chunks)
	if spread < leastSpread {
		for i := range out {
			out[i].Cosines = nil
		}
		return out
	}
	middle, n := quantile(best, .5), float64(len(best))
	stretch := usualSpread * n / (n + settled) / spread
	for i := range out {
		from := len(room)
		for k := range out[i].Features.Chunks {
			x := lackingCosine
			if c := files[i].Cosines; k < len(c) && hasVector(c[k]) {
				x = min(max(usualLevel+stretch*(float64(c[k])-middle), -1), 1)
			}
			room = append(room, float32(x))
		}
		out[i].Cosines = room[from:len(room):len(room)]
	}
	return out
}

// hasVector reports whether a cosine is of a chunk that has a vector: that of the zero vector is exactly 0.
func hasVector(cosine float32) bool {
	return cosine != 0 && !math.IsNaN(float64(cosine)) && !math.IsInf(float64(cosine), 0)
}

// quantile is that of ascending numbers, between two of them in proportion; 0 of none.
func quantile(sorted []float64, share float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	at := share * float64(len(sorted)-1)
	k := int(at)
	return sorted[k] + (at-float64(k))*(sorted[min(k+1, len(sorted)-1)]-sorted[k])
}

// usualCosines stand in for those of a collection without vectors: the means over the best candidates of the dev
// questions.
var usualCosines = [...]struct {
	feature int
	usual   float64
}{{cosine, .43}, {cosineFile, .27}, {cosineTop, .38}}

// believed is what of a candidate's cosines is believed when its chance is judged: the cosine of its best chunk, and
// what the score is to be corrected by.
func (s *scorer) believed(r *row, vectors bool) (best, correction float64) {
	if vectors && s.q.Embedder == FittedTo {
		return r.v[cosine], 0
	}
	for _, u := range usualCosines {
		x := u.usual
		if vectors {
			x = min(x, r.v[u.feature])
		}
		correction += (x - r.v[u.feature]) * features()[u.feature].Weights[s.q.Shape]
		if u.feature == cosine {
			best = x
		}
	}
	return best, correction
}
