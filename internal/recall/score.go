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

// W are weights.
type W struct {
	Fade, Long, Stop, Name        float64
	Own, Prev, Prev2, Next, Next2 float64
	Asks, Asked                   float64
	Speaker, When, Then           float64
	Mean, MeanNear, Floor         float64
}

var Weights = W{Fade: 1, Long: .3, Stop: .2, Name: .06, Own: .3, Prev: .6, Prev2: .6, Next: .1, Next2: .4, Asks: .55, Asked: 1.75,
	Speaker: 1.2, When: 1.5, Then: 1.3, Mean: .2, MeanNear: .1, Floor: .3}

// session is the time within which two turns that follow each other belong together.
const session = 30 * time.Minute

// maxWords bounds the words of a question that count.
const maxWords = 128

// term is a word of a question.
type term struct {
	hash   uint64
	weight float64
	stop   bool
	name   bool
	counts []float32 // by item, in the order of time
}

// Score tells how well each item answers a question: in (0,1), and 0 where it says nothing about it. now is when it is asked.
func Score(question string, now time.Time, items []Item) []float64 {
	scores := make([]float64, len(items))
	o := inOrder(items)
	terms, named := o.read(question)
	if len(items) == 0 {
		return scores
	}
	sum := 0.0
	for i := range terms {
		sum += o.weigh(&terms[i])
	}
	raw := make([]float64, len(items))
	hit := make([]bool, len(items))
	for i := range terms {
		o.add(&terms[i], raw, hit)
	}
	when := asksWhen(question)
	then, dated := asked(question, now)
	for i := range o.items {
		it := &o.items[i]
		s := 0.0
		if sum > 0 {
			s = raw[i] / sum
		}
		mean, near := meaning(it.Cosine), 0.0
		for _, d := range [...]int{-1, 1} {
			if o.near(i, i+d) {
				near += meaning(o.items[i+d].Cosine)
			}
		}
		s += Weights.Mean*mean + Weights.MeanNear*near
		if !hit[i] && it.Cosine < Weights.Floor {
			continue
		}
		if named[it.speaker] || it.Agent != "" && named[strings.ToLower(it.Agent)] {
			s *= Weights.Speaker
		}
		if when && it.tells {
			s *= Weights.When
		}
		if dated && then.holds(o.time(i)) {
			s *= Weights.Then
		}
		scores[o.at[i]] = cap1(s)
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

// cap1 brings a score below 1 and keeps the order.
func cap1(s float64) float64 {
	const from = .7
	if s <= from {
		return max(0, s)
	}
	return from + (1-from)*(1-1/(1+(s-from)/(1-from)))
}

// order are items in the order of time.
type order struct {
	items   []Item
	at      []int  // where each stands in the list that was given
	follows []bool // it is a turn of the same session as the one before it
	length  float64
}

func inOrder(items []Item) *order {
	o := &order{at: make([]int, len(items)), items: make([]Item, len(items)), follows: make([]bool, len(items))}
	for i := range o.at {
		o.at[i] = i
	}
	slices.SortStableFunc(o.at, func(a, b int) int { return items[a].Saved.Compare(items[b].Saved) })
	for i, k := range o.at {
		o.items[i] = items[k]
		o.length += float64(items[k].length)
	}
	o.length = max(1, o.length/float64(max(1, len(items))))
	for i := 1; i < len(o.items); i++ {
		a, b := &o.items[i-1], &o.items[i]
		o.follows[i] = a.turn() && b.turn() && a.Agent == b.Agent && a.said.IsZero() == b.said.IsZero() && o.time(i).Sub(o.time(i-1)).Abs() <= session
	}
	return o
}

func (it *Item) turn() bool { return it.Turn || it.speaker != "" }

// time is when an item was said, as its text tells or else when it was saved.
func (o *order) time(i int) time.Time {
	if t := o.items[i].said; !t.IsZero() {
		return t
	}
	return o.items[i].Saved
}

// near reports whether items i and k, at most two apart, belong to one session.
func (o *order) near(i, k int) bool {
	if k < 0 || k >= len(o.items) {
		return false
	}
	for n := min(i, k) + 1; n <= max(i, k); n++ {
		if !o.follows[n] {
			return false
		}
	}
	return true
}

// read are the words of a question, and who of those who speak is named in it.
func (o *order) read(question string) (terms []term, named map[string]bool) {
	speakers := map[string]bool{}
	agents := map[string]bool{}
	for i := range o.items {
		if s := o.items[i].speaker; s != "" {
			speakers[s] = true
		}
		if a := o.items[i].Agent; !agents[a] {
			agents[a] = true
		}
	}
	named = map[string]bool{}
	lower := strings.ToLower(question)
	for a := range agents {
		if a = strings.ToLower(a); a != "" && holdsName(lower, a) {
			named[a] = true
		}
	}
	seen := map[uint64]bool{}
	each(question, func(stem, ident string) {
		h := hash(stem)
		if seen[h] || len(terms) == maxWords {
			return
		}
		seen[h] = true
		t := term{hash: h, stop: stops()[stem]}
		for s := range speakers {
			if calls(ident, s) {
				named[s], t.name = true, true
			}
		}
		terms = append(terms, t)
	})
	return terms, named
}

// calls reports whether a word of a question is a speaker's name, or short for it.
func calls(ident, speaker string) bool {
	r, _ := utf8.DecodeRuneInString(ident)
	w := strings.ToLower(ident)
	for s := range strings.FieldsSeq(speaker) {
		if w == s || len(w) >= 3 && unicode.IsUpper(r) && strings.HasPrefix(s, w) {
			return true
		}
	}
	return false
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

// weigh sets what a word weighs and where it stands.
func (o *order) weigh(t *term) float64 {
	t.counts = make([]float32, len(o.items))
	held := 0
	for i := range o.items {
		if t.counts[i] = o.items[i].count(t.hash); t.counts[i] > 0 {
			held++
		}
	}
	n, df := float64(len(o.items)), float64(max(1, held))
	t.weight = math.Log(1 + (n-df+.5)/(df+.5))
	if t.stop {
		t.weight *= Weights.Stop
	}
	if t.name {
		t.weight *= Weights.Name
	}
	return t.weight
}

// add adds what a word brings each item, by its own text and by the turns beside it.
func (o *order) add(t *term, raw []float64, hit []bool) {
	for i := range o.items {
		it := &o.items[i]
		own := float64(t.counts[i])
		near := 0.0
		if it.turn() {
			if it.asks {
				own *= Weights.Asks
			}
			for _, b := range [...]struct {
				d int
				w float64
			}{{-1, Weights.Prev}, {1, Weights.Next}, {-2, Weights.Prev2}, {2, Weights.Next2}} {
				k := i + b.d
				if k < 0 || k >= len(o.items) || t.counts[k] == 0 || !o.near(i, k) {
					continue
				}
				c := float64(t.counts[k]) * b.w
				if o.items[k].asks {
					if b.d < 0 {
						c *= Weights.Asked
					} else {
						c *= Weights.Asks
					}
				}
				near += c
			}
		}
		if own+near == 0 {
			continue
		}
		hit[i] = true
		long := Weights.Fade * (1 - Weights.Long + Weights.Long*float64(it.length)/o.length)
		sat := func(c float64) float64 { return c * (Weights.Fade + 1) / (c + long) }
		raw[i] += t.weight * (Weights.Own*sat(own) + (1-Weights.Own)*sat(own+near))
	}
}

// asksWhen reports whether a question asks for a time.
func asksWhen(question string) bool {
	q := strings.ToLower(question)
	return strings.HasPrefix(q, "when ") || strings.Contains(q, " when ") || strings.Contains(q, "how long") || strings.Contains(q, "what date") || strings.Contains(q, "what day")
}

var _ = cmp.Compare[int]
