package intent

import (
	"slices"
	"strings"
)

// match is a phrase found at words[from:to].
type match struct {
	phrase   *phrase
	from, to int
	inside   bool // lies in a longer one
	covered  bool // lies in a longer one that hides hints: it has hints of its own or no effect at all
	negated  bool // a negator stands before it
}

// match finds all phrases, by where they begin and the longest first.
func (d *data) match(words []word) []match {
	var found []match
	// greatest ends of the matches so far, each of which begins no later: of all, and of those that hide hints
	reach, hidden := 0, 0
	for i, w := range words {
		first := len(found)
		var phrases []*phrase
		if w.id >= 0 {
			phrases = d.byWord[w.id]
		}
		if w.start && d.mayRequest(w) {
			phrases = append(slices.Clip(phrases), d.anyStart...)
		}
		for _, p := range phrases {
			if p.start && !w.start {
				continue
			}
			if end := p.end(p.elems, words, i, i); end > i {
				found = append(found, match{phrase: p, from: i, to: end, negated: d.negated(words, i)})
			}
		}
		longest, hides := 0, 0
		for _, m := range found[first:] {
			if m.phrase.weight != structuralWeight { // a shape hides nothing
				longest = max(longest, m.to)
			}
			if m.phrase.hidesHints() {
				hides = max(hides, m.to)
			}
		}
		for k := first; k < len(found); k++ {
			found[k].inside = found[k].to <= reach || found[k].to < longest
			found[k].covered = found[k].to <= hidden || found[k].to < hides
		}
		reach, hidden = max(reach, longest), max(hidden, hides)
	}
	return found
}

// hidesHints reports whether phrases inside of this one give no hints.
func (p *phrase) hidesHints() bool {
	return len(p.hints) > 0 || p.weight == 0 && p.recency == 0 && !p.ask
}

// mayRequest reports whether a word that begins a sentence can be a verb that asks for something: not one of the small
// words, nor "tried", "getting".
func (d *data) mayRequest(w word) bool {
	return w.opens && !w.ident && len(w.text) > 2 && !d.stop[w.text] && !strings.HasSuffix(w.text, "ing") &&
		!strings.HasSuffix(w.text, "ed")
}

// end is where the longest match of elems at words[i:] ends, -1 if there is none. A phrase stays in the clause of
// words[from].
func (p *phrase) end(elems []elem, words []word, from, i int) int {
	if len(elems) == 0 {
		return i
	}
	best := -1
	e := elems[0]
	if e.gap {
		for k := i; k <= i+maxGap && k < len(words) && words[k].clause == words[from].clause; k++ {
			best = max(best, p.end(elems[1:], words, from, k))
		}
		return best
	}
	if i < len(words) && e.has(words[i].id) && words[i].clause == words[from].clause {
		best = p.end(elems[1:], words, from, i+1)
	}
	if e.optional {
		best = max(best, p.end(elems[1:], words, from, i))
	}
	return best
}

// negated reports whether one of the two words before words[i] in its clause negates.
func (d *data) negated(words []word, i int) bool {
	for k := i - 1; k >= max(0, i-2) && words[k].clause == words[i].clause; k-- {
		if d.negator[words[k].text] {
			return true
		}
	}
	return false
}

// greets reports whether the words are a greeting and nothing else: phrases of greeting, small words, and at most one
// name that follows.
func (r *reader) greets() bool {
	d, words, greeted, named := r.data, r.words, false, false
	if len(words) == 0 || len(words) > 16 {
		return false
	}
	for i := 0; i < len(words); {
		end := -1
		if id := r.greeting(words[i]); id >= 0 {
			saved := words[i].id
			words[i].id = id
			for _, p := range d.greetings[id] {
				end = max(end, p.end(p.elems, words, i, i))
			}
			words[i].id = saved
		}
		switch {
		case end > i:
			greeted = true
			i = end
		case greeted && d.filler[words[i].text]:
			i++
		case greeted && !named && words[i].capital && words[i].id < 0 && !words[i].ident:
			named = true
			i++
		default:
			return false
		}
	}
	return greeted
}

// greeting is the number of a word that may begin a greeting, stretched letters shortened ("heyyy"), or -1.
func (r *reader) greeting(w word) int32 {
	if w.id >= 0 && r.data.greetings[w.id] != nil {
		return w.id
	}
	short := shortenRun(w.text)
	if id, ok := r.data.ids[short]; ok && short != w.text && r.data.greetings[id] != nil {
		return id
	}
	return -1
}

// shortenRun shortens the run of one letter at the end of a word to one.
func shortenRun(w string) string {
	n := len(w)
	for n > 1 && w[n-1] == w[n-2] {
		n--
	}
	return w[:n]
}
