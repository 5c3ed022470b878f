package recall

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
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

// sessionGap is the time within which two turns that follow each other belong together.
const sessionGap = 30 * time.Minute

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

// timeline are items in the order of time.
type timeline struct {
	items  []Item
	at     []int   // where each stands in the list that was given
	back   []int   // how many turns before it belong to its session, up to reach
	ahead  []int   // and how many behind it
	length float64 // mean words of a text
}

func newTimeline(items []Item) *timeline {
	n := len(items)
	o := &timeline{at: make([]int, n), items: make([]Item, n), back: make([]int, n), ahead: make([]int, n)}
	saved := make([]int64, n)
	for i := range items {
		o.at[i], saved[i] = i, items[i].Saved.UnixMicro()
	}
	slices.SortFunc(o.at, func(a, b int) int { return cmp.Or(cmp.Compare(saved[a], saved[b]), a-b) })
	for i, k := range o.at {
		o.items[i] = items[k]
		o.length += float64(items[k].length)
	}
	o.length = max(1, o.length/float64(max(1, n)))
	for i := 1; i < n; i++ {
		if o.follows(i) {
			o.back[i] = min(neighbourReach, o.back[i-1]+1)
		}
		for k := 1; k <= o.back[i]; k++ {
			o.ahead[i-k] = k
		}
	}
	return o
}

// neighbourReach is how far the neighbours of a turn go.
const neighbourReach = 2

// follows reports whether item i is a turn of the same session as the one before it.
func (o *timeline) follows(i int) bool {
	a, b := &o.items[i-1], &o.items[i]
	return a.turn() && b.turn() && a.Agent == b.Agent && a.said.IsZero() == b.said.IsZero() &&
		o.time(i).Sub(o.time(i-1)).Abs() <= sessionGap
}

func (it *Item) turn() bool { return it.Turn || it.speaker != "" }

// time is when an item was said, as its text tells or else when it was saved.
func (o *timeline) time(i int) time.Time {
	if t := o.items[i].said; !t.IsZero() {
		return t
	}
	return o.items[i].Saved
}

// inSession reports whether the item that stands at by from item i belongs to its session.
func (o *timeline) inSession(i, by int) bool {
	if by < 0 {
		return -by <= o.back[i]
	}
	return by <= o.ahead[i]
}

// readQuestion are the words of a question, and who of those who speak is named in it.
func (o *timeline) readQuestion(question string) (terms []term, named map[string]bool) {
	speakers, agents := o.speakersAndAgents()
	named = map[string]bool{}
	lower := strings.ToLower(question)
	for a := range agents {
		if holdsName(lower, strings.ToLower(a)) {
			named[a] = true
		}
	}
	seen := map[uint32]bool{}
	eachWord(question, func(stem, ident string) {
		h := hash(stem)
		if seen[h] || len(terms) == maxWords {
			return
		}
		seen[h] = true
		t := term{hash: h, stop: stopStems()[stem]}
		for _, s := range namedSpeakers(ident, speakers) {
			named[s], t.name = true, true
		}
		terms = append(terms, t)
	})
	return terms, named
}

// speakersAndAgents are all that speak, by the words of their names in lower case, and all that write.
func (o *timeline) speakersAndAgents() (speakers map[string][]string, agents map[string]bool) {
	speakers, agents = map[string][]string{}, map[string]bool{}
	known, agent := map[string]bool{}, ""
	for i := range o.items {
		it := &o.items[i]
		if it.speaker != "" && !known[it.speaker] {
			known[it.speaker] = true
			for w := range strings.FieldsSeq(it.speaker) {
				speakers[w] = append(speakers[w], it.speaker)
			}
		}
		if it.Agent != agent && it.Agent != "" {
			agent = it.Agent
			agents[agent] = true
		}
	}
	return speakers, agents
}

// maxAbbreviatedSpeakers is the number of speakers up to which a name may be cut short.
const maxAbbreviatedSpeakers = 64

// namedSpeakers are the speakers whose name, or the beginning of it, is a word of a question.
func namedSpeakers(ident string, speakers map[string][]string) (found []string) {
	w := strings.ToLower(ident)
	if found = speakers[w]; found != nil || len(w) < 3 || len(speakers) > maxAbbreviatedSpeakers {
		return found
	}
	if r, _ := utf8.DecodeRuneInString(ident); !unicode.IsUpper(r) {
		return nil
	}
	for name, of := range speakers {
		if strings.HasPrefix(name, w) {
			found = append(found, of...)
		}
	}
	return found
}

// holdsName reports whether a text holds a name with no letter or digit beside it.
func holdsName(text, name string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(name)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !inWord(before) && !inWord(after) {
			return true
		}
		from = start + 1
	}
}

func inWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// weighTerms sets where the words of a question stand and what they weigh, and returns the sum of that.
func (o *timeline) weighTerms(terms []term) (sum float64) {
	counts, held := make([]float32, len(terms)*len(o.items)), make([]int, len(terms))
	for k := range terms {
		terms[k].counts = counts[k*len(o.items) : (k+1)*len(o.items)]
	}
	for i := range o.items { // each text once: they lie far apart
		for k := range terms {
			if c := o.items[i].count(terms[k].hash); c > 0 {
				terms[k].counts[i] = c
				held[k]++
			}
		}
	}
	n := float64(len(o.items))
	for k := range terms {
		df := float64(max(1, held[k]))
		t := &terms[k]
		t.weight = math.Log(1 + (n-df+.5)/(df+.5))
		if t.stop {
			t.weight *= stopWordWeight
		}
		if t.name {
			t.weight *= speakerNameWeight
		}
		sum += t.weight
	}
	return sum
}

// add adds what a word brings each item, by its own text and by the turns beside it.
func (o *timeline) add(t *term, raw []float64, hit []bool) {
	for i := range o.items {
		it := &o.items[i]
		own, near := float64(t.counts[i]), 0.0
		if own > 0 && it.asks && it.turn() {
			own *= questionWeight
		}
		for _, b := range neighbours {
			if o.inSession(i, b.at) {
				near += b.count * o.neighbourCount(t, i+b.at, b.at < 0)
			}
		}
		if own+near == 0 {
			continue
		}
		hit[i] = true
		long := repeatSaturation * (1 - lengthPenalty + lengthPenalty*float64(it.length)/o.length)
		raw[i] += t.weight * (repeatSaturation + 1) * (ownTextShare*own/(own+long) +
			(1-ownTextShare)*(own+near)/(own+near+long))
	}
}

// neighbourCount is what a word of turn k counts for a turn after it, or before it.
func (o *timeline) neighbourCount(t *term, k int, before bool) float64 {
	c := float64(t.counts[k])
	switch {
	case c == 0 || !o.items[k].asks:
		return c
	case before:
		return c * answerBoost
	}
	return c * questionWeight
}

// asksWhen reports whether a question asks for a time.
func asksWhen(question string) bool {
	q := strings.ToLower(question)
	return strings.HasPrefix(q, "when ") || strings.Contains(q, " when ") || strings.Contains(q, "how long") ||
		strings.Contains(q, "what date") || strings.Contains(q, "what day")
}
