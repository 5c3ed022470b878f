package rank

import (
	"math"

	"github.com/contextd/contextd/internal/code"
)

// Relevance is the probability that a candidate answers the question, from 0 to 1. For a question that is one name a few
// rules say it, see named.go: 1 for the definition. For words it is a logistic model
// of how the candidate stands: fitted on the five best candidates of questions about a repository and of as many that belong
// to another one (tools/train/calibrate.py), with repositories left out. docs/QUALITY.md tells how far it can be trusted.

// judged are the values that the model weighs, with the weights for questions and for tasks and long texts.
var judged = [...]struct {
	question, task float64
	doc            string
}{
	constant:    {-6.154, -5.425, "always 1"},
	place:       {-1.021, -.405, "logarithm of the place in the order"},
	height:      {.260, .443, "the score"},
	lead:        {.284, .132, "the score above that of the next"},
	behind:      {-.266, -.175, "the score below that of the first"},
	above:       {.078, .255, "the score above that of the tenth"},
	known:       {2.627, 2.403, "share of the question's weight in words that the collection has"},
	covered:     {1.491, 1.367, "share of the question's weight in words that the file has"},
	knownStem:   {.831, .370, "known times the feature stem"},
	knownDirs:   {.807, -.266, "known times the feature dirs"},
	knownNames:  {-.807, -1.324, "known times the feature definition: the score counts it more than it is worth here"},
	knownCos:    {2.690, 1.301, "known times the feature cosine"},
	size:        {-.264, -.343, "logarithm of the number of files"},
	knownPast:   {-1.014, -2.483, "known times the feature history: the score counts it more than it is worth here"},
	knownWords:  {-1.257, -2.154, "known times the feature words: likewise"},
	knownLikely: {-1.494, -1.552, "known times the feature likelihood: likewise"},
}

const (
	constant = iota
	place
	height
	lead
	behind
	above
	known
	covered
	knownStem
	knownDirs
	knownNames
	knownCos
	size
	knownPast
	knownWords
	knownLikely
)

// taskTemper is what the log odds of a task's candidate are multiplied by above an even chance: of the files that a task seems to be
// about, fewer are changed than the model thinks.
const taskTemper = .7

// Floor is the relevance that questions without an answer seldom reach: what lies below is not worth a pointer.
const Floor = .01

// handful is the number of files under which a collection has no statistics to speak of: what comes first and holds every
// word of the question is worth a pointer there.
const handful = 10

// judge sets the relevance of the candidates, which are in order.
func (s *scorer) judge(out []Scored, rows []row, files int) {
	if s.q.Symbol != nil {
		s.judgeName(out, rows)
		return
	}
	vectors := false
	for i := range rows {
		vectors = vectors || rows[i].v[cosine] != 0
	}
	last, share := 1.0, s.knownShare()
	for i := range out {
		r := &rows[out[i].File]
		tenth := out[min(9, len(out)-1)].Score // what stands below differs between backings
		next := max(out[min(i+1, len(out)-1)].Score, min(tenth, out[i].Score))
		near, correction := s.believed(r, vectors)
		x := [...]float64{constant: 1, place: math.Log(float64(i + 1)), height: out[i].Score + correction, lead: out[i].Score - next, behind: out[0].Score - out[i].Score,
			above: out[i].Score - tenth, known: share, covered: out[i].Covered, knownStem: share * r.v[stem], knownDirs: share * r.v[dirs],
			knownNames: share * r.v[definition], knownCos: share * near, size: math.Log(float64(max(files, 1))), knownPast: share * r.v[history],
			knownWords: share * r.v[words], knownLikely: share * r.v[likelihood]}
		sum := 0.0
		for k, v := range x {
			if s.q.Shape == Question || s.q.Shape == Asked {
				sum += judged[k].question * v
			} else {
				sum += judged[k].task * v
			}
		}
		if sum > 0 && s.q.Shape != Question && s.q.Shape != Asked {
			sum *= taskTemper
		}
		last = min(last, 1/(1+math.Exp(-sum))) // what comes later is no more relevant
		out[i].Relevance = last
		switch {
		case share == 0:
			out[i].Relevance, last = 0, 0
		case i == 0 && files < handful && out[i].Covered > .999:
			out[i].Relevance = max(last, .3)
		}
	}
}

// Known is the share of the question's weight in words that the collection has; 0 for a question without words.
func (q *Query) Known(stats code.Stats) float64 { return newScorer(q, stats).knownShare() }

// knownShare is the share of the question's weight in words that the collection has.
func (s *scorer) knownShare() float64 { return share(s.total, s.total+s.unknown) }
