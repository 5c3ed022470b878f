package rank

import (
	"math"

	"github.com/contextd/contextd/internal/code"
)

// Relevance is the probability that a candidate answers the question, from 0 to 1. For a question that is one name a
// few rules say it, see named.go: 1 for the definition. For words it is a logistic model of how the candidate stands in
// the answer, fitted on the five best candidates of the benchmark's questions and tasks, of terse queries as agents
// type them, of such queries that nothing answers, and of questions about other repositories
// (tools/train/calibrate.py), with repositories left out. docs/QUALITY.md tells how far it can be trusted.

// judged are the values that the model weighs, with the weights for all, and what is added to them for asked questions,
// and for tasks and long texts.
var judged = [...]struct {
	all, asked, task float64
	doc              string
}{
	constant:      {-2.642, .751, .769, "always 1"},
	place:         {-.801, 0, 0, "logarithm of the place in the order"},
	height:        {.113, .004, -.002, "the score"},
	lead:          {.24, 0, 0, "the score above that of the next"},
	behind:        {-.328, 0, 0, "the score below that of the first"},
	above:         {.145, .004, .054, "the score above that of the tenth"},
	known:         {.43, 0, 0, "share of the question's weight in words that the collection has"},
	covered:       {3.188, 0, 0, "share of the question's weight in words that the file has"},
	knownStem:     {-.107, 0, 0, "known times the feature stem"},
	knownDirs:     {.294, 0, 0, "known times the feature dirs"},
	knownNames:    {.003, 0, 0, "known times the feature definition"},
	knownCos:      {1.526, -.85, -.478, "known times the feature cosine"},
	size:          {-.193, 0, 0, "logarithm of the number of files"},
	knownPast:     {-.846, 0, 0, "known times the feature history"},
	knownWords:    {-.027, 0, 0, "known times the feature words"},
	knownLikely:   {.25, 0, 0, "known times the feature likelihood"},
	parts:         {-1.634, 0, 0, "share of the question's weight in single words that the file has"},
	mostCovered:   {.155, 0, 0, "the greatest covered of the five best"},
	coveredSquare: {-.889, 0, 0, "covered, squared"},
	ofTest:        {-2.328, 0, 0, "the feature test"},
	knownPairs:    {.138, 0, 0, "known times the feature pairs"},
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
	parts
	mostCovered
	coveredSquare
	ofTest
	knownPairs
)

// sure is what the log odds are multiplied by above an even chance: the model is shy there, since questions about other
// repositories pull it down.
var sure = [numShapes]float64{Question: 1.65, Keywords: 1.65, Asked: 1.3, Task: 1.5, Long: 1.5}

// Below an even chance the log odds are multiplied by unsure, and up to unsureShift less: there, questions that nothing
// answers look like others.
const (
	unsure      = .9
	unsureShift = .2
)

// fiveBest are the candidates that the model was fitted on.
const fiveBest = 5

// Floor is the least relevance of a guess: no first result of 1,110 terse queries that have an answer lies below it, two in a hundred
// of those that have none do.
const Floor = .01

// umbrellaRelevance is the most that a file is worth that does nothing but include or re-export others: the names that
// it has are elsewhere.
const umbrellaRelevance = .6

// handful is the number of files under which a collection has no statistics to speak of: what comes first and holds
// every word of the question is worth a pointer there.
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
	last, share, most := 1.0, s.knownShare(), 0.0
	for i := range out[:min(fiveBest, len(out))] {
		most = max(most, out[i].Covered)
	}
	for i := range out {
		r := &rows[out[i].File]
		tenth := out[min(9, len(out)-1)].Score // what stands below differs between backings
		next := max(out[min(i+1, len(out)-1)].Score, min(tenth, out[i].Score))
		near, correction := s.believed(r, vectors)
		held := out[i].Covered
		x := [...]float64{constant: 1, place: math.Log(float64(i + 1)), height: out[i].Score + correction, lead: out[i].Score - next, behind: out[0].Score - out[i].Score,
			above: out[i].Score - tenth, known: share, covered: held, knownStem: share * r.v[stem], knownDirs: share * r.v[dirs],
			knownNames: share * r.v[definition], knownCos: share * near, size: math.Log(float64(max(files, 1))), knownPast: share * r.v[history],
			knownWords: share * r.v[words], knownLikely: share * r.v[likelihood], parts: r.v[coverage], mostCovered: most, coveredSquare: held * held,
			ofTest: r.v[testFile], knownPairs: share * r.v[pairs]}
		last = min(last, s.chance(&x)) // what comes later is no more relevant
		out[i].Relevance = last
		switch {
		case share == 0:
			out[i].Relevance, last = 0, 0
		case i == 0 && files < handful && out[i].Covered > .999:
			out[i].Relevance = max(last, .3)
		}
		if r.umbrella { // what stands behind it may be worth more, and is shown before it then
			out[i].Relevance = min(out[i].Relevance, umbrellaRelevance)
		}
	}
	if s.passing(out, rows) {
		for i := range out {
			out[i].Relevance = min(out[i].Relevance, asideRelevance)
		}
	}
}

// chance is what the model says of a candidate with these values.
func (s *scorer) chance(x *[len(judged)]float64) float64 {
	sum := 0.0
	for k, v := range x {
		w := judged[k].all
		switch s.q.Shape {
		case Asked:
			w += judged[k].asked
		case Task, Long:
			w += judged[k].task
		}
		sum += w * v
	}
	if sum > 0 {
		sum *= sure[s.q.Shape]
	} else {
		sum = unsure*sum - unsureShift*min(1, -sum)
	}
	return 1 / (1 + math.Exp(-sum))
}

// Known is the share of the question's weight in words that the collection has; 0 for a question without words.
func (q *Query) Known(stats code.Stats) float64 { return newScorer(q, stats).knownShare() }

// knownShare is the share of the question's weight in words that the collection has.
func (s *scorer) knownShare() float64 { return share(s.total, s.total+s.unknown) }
