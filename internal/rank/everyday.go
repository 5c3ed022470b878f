package rank

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/contextd/contextd/internal/lexical"
)

//go:embed everyday.txt
var everydayText string

// longestPhrase is the number of words of the longest phrase of everyday.txt.
const longestPhrase = 4

// everydayWeight is what a word of code counts that stands for what a question says in everyday words, where a word of
// its own counts 1. On the queries of agents (dev) .15, .3 and .5 bring NDCG@10 of questions from .604 to .631, .651
// and .660.
const everydayWeight = .5

// everyday are the words of code for the phrases that people say, by the stems of a phrase joined by a space.
var everyday = sync.OnceValue(func() map[string][]string {
	m := make(map[string][]string, 1024)
	for line := range strings.Lines(everydayText) {
		phrases, words, ok := strings.Cut(line, ":")
		if !ok || line[0] == '#' {
			continue
		}
		for phrase := range strings.SplitSeq(phrases, ",") {
			stems := strings.Fields(phrase)
			for i, w := range stems {
				stems[i] = lexical.Stem(w)
			}
			key := strings.Join(stems, " ")
			m[key] = append(m[key], strings.Fields(words)...)
		}
	}
	return m
})

// sayInCode adds the words of code for what a question or a task says in everyday words; parts are its words. Of
// phrases that share a word the longest counts.
func (q *Query) sayInCode(parts []string) {
	if !(q.Shape == Asked || q.Shape == Task && plainWords(q.Text)) {
		return
	}
	stems := make([]string, min(len(parts), maxWords))
	for i := range stems {
		stems[i] = lexical.Stem(parts[i])
	}
	table := everyday()
	for n := longestPhrase; n > 0; n-- {
		for i := 0; i+n <= len(stems); i++ {
			words := table[strings.Join(stems[i:i+n], " ")]
			if words == nil {
				continue
			}
			if n > 1 {
				clear(stems[i : i+n])
			}
			for _, w := range words {
				q.addForm(w, everydayWeight)
			}
		}
	}
}

// addForm adds a word that the question does not have itself.
func (q *Query) addForm(word string, weight float64) {
	stem := lexical.Stem(word)
	if _, own := q.byStem[stem]; own || len(q.Words) == maxWords {
		return
	}
	q.byStem[stem] = len(q.Words)
	q.Words = append(q.Words, lexical.Word(stem))
	q.words = append(q.words, queryWord{part: word, stem: stem, weight: weight, form: true})
}

// plainWords reports whether a text is a sentence in everyday words: it has no names, numbers or signs of code, and a
// word that only binds others.
func plainWords(text string) bool {
	binds := false
	for i, w := range strings.Fields(strings.TrimRight(strings.TrimSpace(text), ".!?")) {
		w = strings.TrimSuffix(w, ",")
		for k := range len(w) {
			c := w[k]
			if !(c >= 'a' && c <= 'z' || c == '-' || c == '\'' || i == 0 && k == 0 && c >= 'A' && c <= 'Z') {
				return false
			}
		}
		binds = binds || stopwords[w]
	}
	return binds
}
