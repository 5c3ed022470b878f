package memory

import (
	"slices"

	"github.com/contextd/contextd/internal/lexical"
)

// Texts are known again by runs of words: short ones whole, longer ones by all their runs of shingleWords words.
const (
	shingleWords = 3
	wholeWords   = 8   // a text of fewer words is known whole
	loopWords    = 12  // a text of fewer words repeats another only if all of it does
	onePlace     = 48  // a text of fewer words that differs in one place inside is a correction, not a repetition
	loopShare    = 0.8 // of the words of a text, from which it counts as repeated
)

// runs are the hashes of the runs of words of a text in their order, of size words each, and how many words there are.
// Case, white space, punctuation, invisible letters, accents and letters that look alike do not count. A text without
// words has none.
func runs(text string) (hashes []uint64, size, n int) {
	text = plainLetters(text)
	var words []uint64
	for from := 0; ; {
		start, end := lexical.NextIdent(text, from)
		if start == len(text) {
			break
		}
		lexical.Segments(text[start:end], func(word string) { words = append(words, fold(word)) })
		from = end
	}
	if n = len(words); n == 0 {
		return nil, 0, 0
	}
	size = shingleWords
	if n < wholeWords {
		size = n
	}
	hashes = make([]uint64, 0, n-size+1)
	for i := 0; i+size <= n; i++ {
		h := uint64(size)
		if n < wholeWords {
			h |= 1 << 32 // no run of a longer text is taken for it
		}
		for _, w := range words[i : i+size] {
			h = mix(h ^ w)
		}
		hashes = append(hashes, h)
	}
	return hashes, size, n
}

// shingles are the hashes of all runs of words of a text, sorted, each once.
func shingles(text string) []uint64 {
	all, _, _ := runs(text)
	slices.Sort(all)
	return slices.Compact(all)
}

// repeats tells which share of a text's words stands in runs that known holds, and whether that makes it a repetition.
func repeats(text string, known func(hash uint64) bool) (share float64, repeated bool) {
	hashes, size, n := runs(text)
	if n == 0 {
		return 0, false
	}
	covered, gaps, end := 0, 0, 0 // words that stand in a run so far, places between them, where the last run ended
	for i, h := range hashes {
		if !known(h) {
			continue
		}
		if i > end {
			gaps++
		}
		covered += i + size - max(i, end)
		end = i + size
	}
	share = float64(covered) / float64(n)
	correction := gaps == 1 && known(hashes[0]) && end == n && n < onePlace
	return share, covered == n || share >= loopShare && n >= loopWords && !correction
}

// fold hashes a word (FNV-1a), ASCII letters in lower case.
func fold(word string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(word) {
		c := word[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// mix spreads the bits of a hash, so that the order of what is mixed counts.
func mix(h uint64) uint64 {
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return h ^ h>>32
}
