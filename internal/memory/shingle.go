package memory

import (
	"slices"

	"github.com/contextd/contextd/internal/lexical"
)

// shingleWords is the length of the runs of words by which a repeated text is known; loopShare the share of them from which it
// counts as repeated.
const (
	shingleWords = 8
	loopShare    = 0.8
)

// shingles are the hashes of all runs of shingleWords words of a text, sorted, each once; of a shorter text, of all its
// words. Case, white space and punctuation do not count. A text without words has none.
func shingles(text string) []uint64 {
	var words []uint64
	for from := 0; ; {
		start, end := lexical.NextIdent(text, from)
		if start == len(text) {
			break
		}
		words = append(words, fold(text[start:end]))
		from = end
	}
	if len(words) == 0 {
		return nil
	}
	n := min(shingleWords, len(words))
	all := make([]uint64, 0, len(words)-n+1)
	for i := 0; i+n <= len(words); i++ {
		h := uint64(n)
		for _, w := range words[i : i+n] {
			h = mix(h ^ w)
		}
		all = append(all, h)
	}
	slices.Sort(all)
	return slices.Compact(all)
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
