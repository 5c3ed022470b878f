package rank

import (
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
)

// wordPair is two adjacent words, and what an identifier made of them is as a word of a text.
type wordPair struct {
	a, b  int // indexes of the words
	terms []code.TermID
}

// maxPairs bounds the pairs of a question.
const maxPairs = 12

// forms are how a word may stand in a name: as it is, and without an ending.
func forms(word string) []string {
	if stem := lexical.Stem(word); stem != word && strings.HasPrefix(word, stem) {
		return []string{word, stem}
	}
	return []string{word}
}

// pair collects the adjacent words, weightless ones between them left out, that may be one name in the code, in either
// order.
func (q *Query) pair(parts []string) {
	last, lastPart := -1, ""
	for _, p := range parts {
		k, ok := q.byStem[lexical.Stem(p)]
		if !ok || len(p) < 2 {
			continue
		}
		if last >= 0 && last != k && len(q.pairs) < maxPairs {
			x := wordPair{a: last, b: k}
			for _, a := range forms(lastPart) {
				for _, b := range forms(p) {
					for _, joined := range [2]string{a + b, b + a} {
						if id := lexical.Word(joined).ID; !slices.Contains(x.terms, id) {
							x.terms = append(x.terms, id)
						}
					}
				}
			}
			q.pairs = append(q.pairs, x)
		}
		last, lastPart = k, p
	}
}

// pairsHeld is the share of the question's pairs of words that the file has as one name, each weighed by its commoner
// word.
func (s *scorer) pairsHeld() float64 {
	sum, all := 0.0, 0.0
	for i, p := range s.q.pairs {
		w := min(s.named[p.a], s.named[p.b])
		all += w
		if s.paired[i] {
			sum += w
		}
	}
	return share(sum, all)
}
