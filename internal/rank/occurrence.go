package rank

import (
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
)

// Missing are the words of the question that stand nowhere in the collection, in no form, in order and in lower case.
// Stop words do not count, nor words of code that the question does not say itself, and of a compound its parts do.
func (q *Query) Missing(stats code.Stats) []string {
	var missing []string
	for i, w := range q.words {
		if w.part != "" && !w.form && !stopwords[w.part] && i < len(stats.DF) && stats.DF[i] == 0 &&
			(w.whole == 0 || w.whole >= len(stats.DF) || stats.DF[w.whole] == 0) {
			missing = append(missing, w.part)
		}
	}
	return missing
}

// Marks are the places in text where words of the question stand, in whatever form, or words of code for them: from and
// to in bytes, in order, none touching another. Stop words have no place.
func (q *Query) Marks(text string) [][2]int {
	var marks [][2]int
	mark := func(from, to int) {
		if n := len(marks); n > 0 && marks[n-1][1] == from {
			marks[n-1][1] = to
			return
		}
		marks = append(marks, [2]int{from, to})
	}
	for start, end := lexical.NextIdent(text, 0); start < len(text); start, end = lexical.NextIdent(text, end) {
		ident := text[start:end]
		if len(ident) > lexical.MaxIdent {
			continue
		}
		if q.compound(ident) {
			mark(start, end)
			continue
		}
		for from, to := lexical.NextPart(ident, 0); from < len(ident); from, to = lexical.NextPart(ident, to) {
			i, ok := q.byStem[lexical.Stem(strings.ToLower(ident[from:to]))]
			if ok && !stopwords[q.words[i].part] {
				mark(start+from, start+to)
			}
		}
	}
	return marks
}

// compound reports whether the whole of an identifier is a compound of the question.
func (q *Query) compound(ident string) bool {
	id, _ := lexical.WordID(ident)
	i := slices.IndexFunc(q.Words, func(w code.Term) bool { return w.ID == id })
	return i >= 0 && q.words[i].compound
}
