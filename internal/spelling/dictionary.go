package spelling

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/lexical"
)

// Bounds of a dictionary, in words and in bytes.
const (
	maxWords = 200_000
	maxBytes = 2 << 20
)

// Set collects words for a dictionary. The zero Set is empty and ready.
type Set struct {
	words map[string]struct{}
}

// AddName adds those parts of a name that a dictionary may hold.
func (s *Set) AddName(name string) {
	if len(name) > lexical.MaxIdent {
		return
	}
	lexical.Split(name, s.add)
}

// AddWholeName adds a name of several parts as one word: who remembers it may write it so.
func (s *Set) AddWholeName(name string) {
	if len(name) <= lexical.MaxIdent {
		s.add(lexical.Join(name))
	}
}

func (s *Set) add(word string) {
	if !isWord(word) || len(s.words) >= maxWords {
		return
	}
	if _, have := s.words[word]; have {
		return
	}
	if s.words == nil {
		s.words = make(map[string]struct{})
	}
	s.words[strings.Clone(word)] = struct{}{} // it may be a piece of a whole file
}

// Has reports whether the set has a word.
func (s *Set) Has(word string) bool {
	_, have := s.words[word]
	return have
}

// Add adds the words of another set.
func (s *Set) Add(other *Set) {
	for w := range other.words {
		s.add(w)
	}
}

// MergeInto returns the dictionary with the words of the set added and gone ones left out, unless the set has them, and
// whether it is another one now. Words that it has no more room for are left out, the last of the alphabet first.
func (s *Set) MergeInto(dictionary []byte, gone ...string) (merged []byte, changed bool) {
	added, out := maps.Clone(s.words), map[string]bool{}
	for _, w := range gone {
		out[w] = !s.Has(w)
	}
	for w := range Words(dictionary) {
		delete(added, w)
		changed = changed || out[w]
	}
	if len(added) == 0 && !changed {
		return dictionary, false
	}
	all := slices.DeleteFunc(slices.Collect(Words(dictionary)), func(w string) bool { return !isWord(w) || out[w] })
	all = all[:min(len(all), maxWords)]
	size := 0
	for _, w := range all {
		size += len(w) + 1
	}
	for _, w := range slices.Sorted(maps.Keys(added)) {
		if len(all) < maxWords && size+len(w) < maxBytes {
			all, changed = append(all, w), true
			size += len(w) + 1
		}
	}
	if !changed {
		return dictionary, false
	}
	slices.Sort(all)
	return []byte(strings.Join(slices.Compact(all), "\n")), true
}

// Words are those of a dictionary, in its order, as often as they are asked for. What stands behind the bounds of one
// is not read.
func Words(dictionary []byte) iter.Seq[string] {
	text := string(dictionary[:min(len(dictionary), maxBytes)])
	return func(yield func(string) bool) {
		strings.SplitSeq(text, "\n")(yield) // which can be gone through once
	}
}
