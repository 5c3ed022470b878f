package recall

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// sessionGap is the time within which two turns that follow each other belong together.
const sessionGap = 30 * time.Minute

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
