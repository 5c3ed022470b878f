package recall

import (
	"strings"
	"time"
)

// Item is one thing that is remembered, as it is scored.
type Item struct {
	*Text
	Agent  string    // who wrote it
	Saved  time.Time // when
	Turn   bool      // its kind is that of a conversation
	Cosine float64   // of its meaning and the question's; 0: not known
}

// What words count: found by hand on five conversations between two people each; docs/QUALITY.md tells what they bring.
const (
	repeatSaturation  = 0.8  // how fast a word's repetitions stop counting
	lengthPenalty     = 0.3  // how much a text above the mean length loses
	stopWordWeight    = 0.2  // a stop word
	speakerNameWeight = 0.06 // the name of a speaker
	// the share of a score that goes by the item's own words alone; the rest counts those of its neighbours too
	ownTextShare   = 0.3
	questionWeight = 0.55 // a word of a turn that only asks
	answerBoost    = 2    // the same, for the turns behind it, which may answer
)

// neighbours are the turns beside one, and what their words count for it.
var neighbours = [...]struct {
	at    int
	count float64
}{{-1, 0.6}, {-2, 0.6}, {1, 0.1}, {2, 0.4}}

// What else counts.
const (
	speakerBoost          = 1.2  // factor for what was said by whom the question names
	timeBoost             = 1.5  // for what tells a time, if the question asks for one
	namedTimeBoost        = 1.3  // for what is of the time that the question names
	namedTimeBonus        = 0.1  // what that adds, whatever it says
	cosineWeight          = 0.25 // of a cosine of 1
	neighbourCosineWeight = 0.05 // of that of a turn beside it
	minCosine             = 0.3  // from which a text without a word of the question is found at all
)

// maxWords bounds the words of a question that count.
const maxWords = 128

// term is a word of a question.
type term struct {
	hash   uint32
	weight float64
	stop   bool
	name   bool
	counts []float32 // by item, in the order of time
}

// Score tells how well each item answers a question: in (0,1), and 0 where it says nothing about it. now is when it is
// asked.
func Score(question string, now time.Time, items []Item) []float64 {
	scores := make([]float64, len(items))
	o := newTimeline(items)
	terms, named := o.readQuestion(question)
	if len(items) == 0 {
		return scores
	}
	sum := o.weighTerms(terms)
	raw := make([]float64, len(items))
	hit := make([]bool, len(items))
	for i := range terms {
		o.add(&terms[i], raw, hit)
	}
	when := asksWhen(question)
	then, dated := questionTime(question, now)
	for i := range o.items {
		it := &o.items[i]
		s := 0.0
		if sum > 0 {
			s = raw[i] / sum
		}
		mean, near := meaning(it.Cosine), 0.0
		for _, d := range [...]int{-1, 1} {
			if o.inSession(i, d) {
				near += meaning(o.items[i+d].Cosine)
			}
		}
		s += cosineWeight*mean + neighbourCosineWeight*near
		ofThen := dated && then.holds(o.time(i))
		if !hit[i] && !ofThen && !(it.Cosine >= minCosine) {
			continue
		}
		if len(named) > 0 && (named[it.speaker] || named[it.Agent]) {
			s *= speakerBoost
		}
		if when && it.tells {
			s *= timeBoost
		}
		if ofThen {
			s = s*namedTimeBoost + namedTimeBonus
		}
		scores[o.at[i]] = squash(s)
	}
	return scores
}

// meaning is what a cosine counts, NaN nothing.
func meaning(cosine float64) float64 {
	if cosine > 0 {
		return min(1, cosine)
	}
	return 0
}

// squash maps a score to a value below 1 and keeps the order.
func squash(s float64) float64 {
	const from = .7
	if s <= from {
		return max(0, s)
	}
	return from + (1-from)*(1-1/(1+(s-from)/(1-from)))
}

// asksWhen reports whether a question asks for a time.
func asksWhen(question string) bool {
	q := strings.ToLower(question)
	return strings.HasPrefix(q, "when ") || strings.Contains(q, " when ") || strings.Contains(q, "how long") ||
		strings.Contains(q, "what date") || strings.Contains(q, "what day")
}
