package dedup

import (
	"strings"
	"unicode"

	"github.com/contextd/contextd/internal/lexical"
)

// maxClaimed is the number of bytes of a text or a message that are read for what they claim.
const maxClaimed = 64 << 10

// agrees reports whether the part of a message that is most like a text claims the same: its numbers and names are
// there, nothing is negated on one side only, and no word stands against its opposite.
func agrees(text, message []sentence) bool {
	t := joined(text)
	shared := make([]int, len(message))
	for i, s := range message {
		for w := range s.words {
			if t.words[w] {
				shared[i]++
			}
		}
	}
	for size := max(1, len(text)); size <= len(text)+1; size++ {
		best, at, now := -1, 0, 0
		for i, n := range shared {
			if now += n; i >= size {
				now -= shared[i-size]
			}
			if now >= best {
				best, at = now, max(0, i+1-size)
			}
		}
		if t.agreesWith(joined(message[at:min(len(message), at+size)])) {
			return true
		}
	}
	return false
}

func (s sentence) agreesWith(m sentence) bool {
	for n := range s.numbers {
		if !m.numbers[n] {
			return false
		}
	}
	for n := range s.names {
		if !m.holdsName(n) {
			return false
		}
	}
	if s.negatorCount%2 != m.negatorCount%2 {
		return false
	}
	if intersects(s.negated, m.words) && intersects(m.negated, s.words) && !intersects(s.negated, m.negated) {
		// A, not B; B, not A
		return false
	}
	for group, side := range s.sides {
		if other := m.sides[group]; side != "" && other != "" && side != other {
			return false
		}
	}
	return true
}

// holdsName reports whether a sentence holds a name, or all words that it is made of.
func (s sentence) holdsName(name string) bool {
	low := strings.ToLower(name)
	if s.tokens[low] || s.words[lexical.Stem(low)] {
		return true
	}
	if strings.ContainsAny(name, "0123456789./:") {
		return false
	}
	at := 0
	for i, c := range name + "_" {
		if c != '_' && c != '-' && c != '\'' && (!unicode.IsUpper(c) || i == 0) {
			continue
		}
		if part := strings.Trim(low[min(at, len(low)):min(i, len(low))], "_-'"); part != "" && !s.tokens[part] &&
			!s.words[lexical.Stem(part)] {
			return false
		}
		at = i
	}
	return true
}

func intersects(a, b map[string]bool) bool {
	for w := range a {
		if b[w] {
			return true
		}
	}
	return false
}
