package rank

import (
	"math"
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
)

// What another form of a word counts in a name.
const (
	relatedName  = .4 // a word of the thesaurus
	initialsName = .6 // the initials of two or three adjacent words
	looseName    = .4 // a part of a longer word, at least
	nearInNames  = .7 // any of them in the name of a definition, beside a file's stem
)

// near is what a part of a name is to the question.
type near struct {
	word   int     // the word that it is a form of; -1: none
	weight float64 // 1 for the word itself, less for another form
}

// form finds what a part of a name is to the question.
func (s *scorer) form(part int32) near {
	f := &s.voc.forms[part]
	if f.turn != s.voc.turn {
		p := &s.voc.parts[part]
		*f = form{s.lookForm(p.text, p.stem), s.voc.turn}
	}
	return f.near
}

func (s *scorer) lookForm(part, stem string) near {
	if i, ok := s.q.byStem[stem]; ok {
		return near{i, 1}
	}
	best := near{word: -1}
	offer := func(word int, weight float64) {
		if weight > best.weight {
			best = near{word, weight}
		}
	}
	if i, ok := s.q.related[stem]; ok {
		offer(i, relatedName)
	}
	for _, i := range s.q.initials[part] {
		if best.word < 0 || best.weight < initialsName || s.named[i] > s.named[best.word] {
			best = near{i, max(initialsName, best.weight)}
		}
	}
	for i := range s.q.words {
		if w := &s.q.words[i]; w.stem != "" {
			offer(i, overlap(w, stem))
		}
	}
	return best
}

// overlap is how much the stem of a part is a longer or shorter form of a word, or a piece of it or around it.
func overlap(w *queryWord, stem string) float64 {
	ratio := float64(min(len(w.stem), len(stem))) / float64(max(len(w.stem), len(stem), 1))
	switch {
	case len(w.stem) >= 3 && strings.HasPrefix(stem, w.stem) && (ratio >= .5 || len(w.stem) >= 5),
		len(stem) >= 3 && strings.HasPrefix(w.stem, stem) && (ratio >= .35 || len(stem) >= 4):
		return ratio
	case len(w.stem) >= 4 && strings.Contains(stem, w.stem):
		return max(looseName, ratio)
	case len(stem) >= 4 && len(w.part) >= 6 && strings.Contains(w.part, stem):
		return float64(len(stem)) / float64(len(w.part))
	case len(w.stem) == 3 && len(stem) <= 9 && strings.HasSuffix(stem, w.stem):
		return looseName
	}
	return 0
}

// strongest adds m to what was met so far: of each word the strongest form, and no more words than seen has room for.
func strongest(seen []near, m near) []near {
	for i := range seen {
		if seen[i].word == m.word {
			seen[i].weight = max(seen[i].weight, m.weight)
			return seen
		}
	}
	if len(seen) < cap(seen) {
		seen = append(seen, m)
	}
	return seen
}

// fit is how a name and the question meet.
type fit struct {
	exact float64 // share of the question's weight that the name holds
	near  float64 // share that it holds in another form
	parts float64 // share of the name's parts that the question holds, in any form
}

// fit compares a name, taken apart, with the question. Where stem is true, the name is a file's: parts that tell little
// count a quarter when they do not match.
func (s *scorer) fit(parts []int32, stem bool) (f fit) {
	var room [8]near
	seen := room[:0]
	got, all := 0.0, 0.0
	for _, id := range parts {
		p, m := &s.voc.parts[id], s.form(id)
		if len(p.text) < 2 {
			continue
		}
		minor := stem && p.minor
		switch {
		case m.word < 0 && minor:
			all += .25
			continue
		case m.word < 0:
			all++
			continue
		case m.weight < 1 && minor:
			all += .25
			got += .25 * m.weight
		default:
			all++
			got += m.weight
		}
		seen = strongest(seen, m)
	}
	for _, m := range seen {
		if m.weight == 1 {
			f.exact += s.named[m.word]
		} else {
			f.near += m.weight * s.named[m.word]
		}
	}
	f.exact, f.near, f.parts = share(f.exact, s.parts), share(f.near, s.parts), share(got, all)
	return f
}

// path computes the features of a file's name and directories.
func (s *scorer) path(p code.Path, r *row) {
	name := lexical.FileStem(p)
	var room [16]int32
	f := s.fit(s.voc.split(name, room[:0]), true)
	r.v[stem] = math.Sqrt((f.exact + f.near) * f.parts)
	r.v[stemNear] = f.near
	if s.q.phrases[singular(lexical.Join(name))] {
		r.v[stemExact] = .5 + .5*r.v[stem] // one word of many is found by chance
	}
	s.directories(p, r)
	s.pathNamed(p, r)
	parts := partsOf(p)
	s.priors(parts, r)
	if strings.HasSuffix(p, ".d.ts") || strings.HasSuffix(p, ".pyi") {
		r.v[declarations] = 1
	}
	r.v[depth] = float64(min(len(parts.dirs), maxDepth)) / 5
}

func (s *scorer) directories(p code.Path, r *row) {
	var room [16]int32
	seen := make([]near, 0, 16)
	for _, d := range lexical.Dirs(p) {
		for _, id := range s.voc.split(d, room[:0]) {
			if m := s.form(id); m.word >= 0 && len(s.voc.parts[id].text) > 1 {
				seen = strongest(seen, m)
			}
		}
	}
	for _, m := range seen {
		if m.weight == 1 {
			r.v[dirs] += share(s.named[m.word], s.parts)
		} else {
			r.v[dirsNear] += share(m.weight*s.named[m.word], s.parts)
		}
	}
}

// pathNamed finds the file's path among those that the question names: whole or its end, or a longer path that ends in
// it. A bare file name counts less: many files may have it.
func (s *scorer) pathNamed(p code.Path, r *row) {
	if len(s.q.paths) == 0 {
		return
	}
	p = strings.ToLower(p)
	for _, want := range s.q.paths {
		x := 1.0
		if !strings.Contains(want, "/") {
			x = .6
		}
		if p == want || strings.HasSuffix(p, "/"+want) || strings.HasSuffix(want, "/"+p) {
			r.v[pathNamed] = max(r.v[pathNamed], x)
		}
	}
}
