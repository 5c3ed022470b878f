package memory

import (
	"slices"

	"github.com/contextd/contextd/internal/lexical"
)

// revisedShare is the share of their words that two decisions have in common, from which the newer one replaces the
// older: "we use Postgres for orders" and "we use MySQL for orders".
const revisedShare = 0.7

// maxSaid is the number of words of a text that are compared; what is longer is like nothing but itself.
const maxSaid = 400

// Saying is what a text says, to be compared with others: its words, whatever their case, punctuation and letters that
// look alike.
type Saying struct {
	Key   uint64   // the same for texts of the same words in the same order; 0 for a text without words
	words []uint64 // sorted, each once; nil if there are too many
}

// SayingOf is what a text says.
func SayingOf(text string) (s Saying) {
	text = plainLetters(text)
	for from := 0; ; {
		start, end := lexical.NextIdent(text, from)
		if start == len(text) {
			break
		}
		lexical.Segments(text[start:end], func(word string) {
			w := fold(word)
			s.Key = mix(s.Key^w) | 1
			if len(s.words) <= maxSaid {
				s.words = append(s.words, w)
			}
		})
		from = end
	}
	if len(s.words) > maxSaid {
		s.words = nil
	}
	slices.Sort(s.words)
	s.words = slices.Compact(s.words)
	return s
}

// Revises reports whether two texts say nearly the same, so that of two decisions only the newer one holds.
func (s Saying) Revises(old Saying) bool {
	all := len(s.words) + len(old.words)
	if len(s.words) == 0 || len(old.words) == 0 {
		return false
	}
	common := len(s.words) - len(without(s.words, old.words))
	return float64(2*common) >= revisedShare*float64(all)
}
