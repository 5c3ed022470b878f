package dedup

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contextd/contextd/internal/lexical"
)

// sentence is what one sentence claims.
type sentence struct {
	tokens       map[string]bool // all words in lower case
	words        map[string]bool // content words, stemmed
	numbers      map[string]bool
	names        map[string]bool // what only one thing is called: db-2, ES256, src/a.go, Redis
	sides        map[int]string  // by group of opposites: which of them it says; "" for more than one
	negated      map[string]bool // content words behind a negator
	negatorCount int             // negators
}

// claims are the sentences of a text.
func claims(text string) (out []sentence) {
	text = text[:min(len(text), maxClaimed)]
	s := newSentence()
	end := func() {
		if len(s.words)+len(s.numbers)+len(s.names) > 0 {
			out = append(out, s)
			s = newSentence()
		}
	}
	open, first := 0, true // content words that the last negator still reaches; whether a sentence begins
	for i := 0; i < len(text); {
		token, next := nextToken(text, i)
		if token == "" {
			if next == i {
				c, size := utf8.DecodeRuneInString(text[i:])
				if ends(text[i:], c, size) {
					end()
					open, first = 0, true
				} else if c == ',' || c == ':' || c == '(' {
					open = 0
				}
				next = i + size
			}
			i = next
			continue
		}
		i = next
		open = s.add(token, first, open)
		first = false
	}
	end()
	return out
}

func newSentence() sentence {
	return sentence{tokens: map[string]bool{}, words: map[string]bool{}, numbers: map[string]bool{},
		names: map[string]bool{}, sides: map[int]string{}, negated: map[string]bool{}}
}

// ends reports whether the mark at the beginning of rest ends a sentence.
func ends(rest string, c rune, size int) bool {
	switch c {
	case '\n', ';', '。':
		return true
	case '.', '!', '?':
		return len(rest) == size || rest[size] == ' ' || rest[size] == '\n'
	}
	return false
}

// nextToken reads the word at i: letters and digits, and marks between two of them that join a name.
func nextToken(text string, i int) (token string, next int) {
	at := i
	for i < len(text) {
		c, size := utf8.DecodeRuneInString(text[i:])
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			if i == at || !strings.ContainsRune("-_./'’:", c) {
				break
			}
			after, _ := utf8.DecodeRuneInString(text[min(len(text), i+size):])
			if !unicode.IsLetter(after) && !unicode.IsDigit(after) {
				break
			}
		}
		i += size
	}
	return text[at:i], i
}

// add takes a token in and returns how many content words the last negator still reaches.
func (s *sentence) add(token string, first bool, open int) int {
	token = strings.ReplaceAll(token, "’", "'")
	low := strings.ToLower(token)
	if n, ok := spelled[low]; ok {
		s.numbers[n] = true
		return open
	}
	if number, unit := splitNumber(low); number != "" {
		s.numbers[number] = true
		if unit != "" {
			s.noteSide(unit)
		}
		return open
	}
	if negators[low] || strings.HasSuffix(low, "n't") {
		s.negatorCount++
		return 2
	}
	s.noteSide(low)
	s.tokens[low] = true
	if isName(token, first) {
		s.names[token] = true
	}
	if len(low) < 3 || stopWords[lexical.Stem(low)] {
		return open
	}
	word := lexical.Stem(low)
	s.words[word] = true
	if open > 0 {
		s.negated[word] = true
		open--
	}
	return open
}

// splitNumber reads 30, 30s, 1.5 and 10:05 as a number with its unit.
func splitNumber(low string) (number, unit string) {
	n := 0
	for n < len(low) && (low[n] >= '0' && low[n] <= '9' || n > 0 && strings.IndexByte(".:", low[n]) >= 0) {
		n++
	}
	if n == 0 {
		return "", ""
	}
	unit = strings.TrimLeft(low[n:], "-")
	if unit != "" && sideOf[unit] == 0 && sideOf[lexical.Stem(unit)] == 0 && len(unit) > 3 ||
		strings.ContainsAny(unit, "0123456789/_") {
		return "", "" // a name such as 2fa-login
	}
	return strings.TrimRight(low[:n], ".:"), unit
}

// isName reports whether a word names one thing: it has digits, marks or capitals inside, or it is written large inside
// of a sentence.
func isName(token string, first bool) bool {
	letters, digits, capitals, marks := 0, 0, 0, 0
	for i, c := range token {
		switch {
		case unicode.IsDigit(c):
			digits++
		case unicode.IsUpper(c):
			letters++
			if i > 0 || !first {
				capitals++
			}
		case unicode.IsLetter(c):
			letters++
		case c == '_' || c == '/' || c == '.' || c == ':':
			marks++
		}
	}
	return letters > 0 && digits > 0 || letters > 1 && (capitals > 0 || marks > 0)
}

// noteSide notes which of a group of opposites a word is.
func (s *sentence) noteSide(word string) {
	at := sideOf[word]
	if at == 0 {
		word = lexical.Stem(word)
		at = sideOf[word]
	}
	if at == 0 {
		return
	}
	group, side := at>>8, sideNames[at]
	if old, said := s.sides[group]; said && old != side {
		side = ""
	}
	s.sides[group] = side
}

// join puts sentences together.
func joined(list []sentence) sentence {
	all := newSentence()
	for _, s := range list {
		for _, m := range [...]struct{ to, from map[string]bool }{
			{all.tokens, s.tokens},
			{all.words, s.words},
			{all.numbers, s.numbers},
			{all.names, s.names},
			{all.negated, s.negated},
		} {
			for w := range m.from {
				m.to[w] = true
			}
		}
		for g, side := range s.sides {
			if old, said := all.sides[g]; said && old != side {
				side = ""
			}
			all.sides[g] = side
		}
		all.negatorCount += s.negatorCount
	}
	return all
}
