package rank

import (
	"strings"

	"github.com/contextd/contextd/internal/lexical"
)

// What a word counts that stands for a misspelt one, where a word as it was written counts 1: the best guess, and the
// next.
const (
	mendedWeight = .8
	secondWeight = .4
)

// Correct is the question as it was meant, if some of its words are misspelt: instead has, by word as of Missing, the
// words that it may be, the likeliest first. The first takes its place wherever it stands, so that names and pairs of
// words are found as if they were written well; the second is one more word. The misspelt words still weigh, as words
// that no file holds: an answer to a guess is told below one to the question. The name that a question is keeps all of
// its weight, and what defines it is told below a name as it was written, see judgeName. whole are words that are names
// of several parts in small letters, and spelt right: they are looked up so too.
func (q *Query) Correct(instead map[string][]string, whole ...string) *Query {
	byStem := make(map[string][]string, len(instead))
	for word, meant := range instead {
		if len(meant) > 0 && meant[0] != "" {
			byStem[lexical.Stem(word)] = meant
		}
	}
	m := Parse(respell(q.Text, byStem))
	m.Text, m.Embedder, m.mended = q.Text, q.Embedder, len(instead) > 0
	for _, word := range whole {
		if k, ok := m.byStem[lexical.Stem(word)]; ok {
			m.addWhole(k)
		}
	}
	for i := range q.words {
		w := &q.words[i]
		meant := byStem[w.stem]
		if w.stem == "" || meant == nil {
			continue
		}
		if k, ok := m.byStem[lexical.Stem(meant[0])]; ok {
			m.words[k].weight *= mendedWeight
		}
		if len(meant) > 1 {
			m.addForm(meant[1], secondWeight)
			m.addNames(meant[1])
		}
		if m.Symbol == nil && len(m.Words) < maxWords {
			m.Words = append(m.Words, q.Words[i])
			m.words = append(m.words, queryWord{weight: w.weight})
		}
	}
	return m
}

// respell is a text with the parts of its identifiers replaced whose stems are in instead, in capitals where they were.
func respell(text string, instead map[string][]string) string {
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	var b strings.Builder
	done := 0
	for start, end := lexical.NextIdent(text, 0); start < len(text); start, end = lexical.NextIdent(text, end) {
		ident := text[start:end]
		if len(ident) > lexical.MaxIdent {
			continue
		}
		for from, to := lexical.NextPart(ident, 0); from < len(ident); from, to = lexical.NextPart(ident, to) {
			meant := instead[lexical.Stem(strings.ToLower(ident[from:to]))]
			if meant == nil {
				continue
			}
			b.WriteString(text[done : start+from])
			b.WriteString(capitals(meant[0], ident[from:to]))
			done = start + to
		}
	}
	b.WriteString(text[done:])
	return b.String()
}

// capitals is a word of small letters with capitals as another has them: all, the first or none.
func capitals(word, like string) string {
	switch first := like[0] >= 'A' && like[0] <= 'Z'; {
	case first && like == strings.ToUpper(like):
		return strings.ToUpper(word)
	case first:
		return strings.ToUpper(word[:1]) + word[1:]
	}
	return word
}

// Related are the stems of the words that programmers use for the same thing as a word.
func Related(word string) (stems []string) {
	related(lexical.Stem(word), func(stem string) { stems = append(stems, stem) })
	return stems
}

// Spelt reports whether a word is known to be spelt right, whatever stands near it in a collection that lacks it: one
// that the thesaurus has, and one that says how a question is put.
func Spelt(word string) bool {
	spelt := stopwords[word] || genericWords[word] || askingWords[word] || plainVerbs[word] || nounVerbs[word] ||
		taskVerbs[word]
	related(lexical.Stem(word), func(string) { spelt = true })
	return spelt
}
