package rank

import (
	_ "embed"
	"sort"
	"strings"

	"github.com/contextd/contextd/internal/lexical"
)

// everydayTable is everyday.txt made ready to be searched as it lies: a line a phrase, its stems joined by a space, a
// tab, the words of code for it; lines in order. Reading everyday.txt at the first question would take as long as an
// answer.
//
//go:embed everyday.tsv
var everydayTable string

// longestPhrase is the number of words of the longest phrase of everyday.txt.
const longestPhrase = 4

// everydayWeight is what a word of code counts that stands for what a question says in everyday words, where a word of
// its own counts 1. On the queries of agents (dev) .15, .3 and .5 bring NDCG@10 of questions from .604 to .631, .651
// and .660; .35, .5 and .7 give .430, .445 and .446 on terse queries that nobody had seen who wrote the phrases.
const everydayWeight = .5

// codeWords are the words of code for a phrase, its stems joined by a space; none for most.
func codeWords(phrase string) []string {
	line := func(at int) (from, to int) {
		from = strings.LastIndexByte(everydayTable[:at], '\n') + 1
		if n := strings.IndexByte(everydayTable[from:], '\n'); n >= 0 {
			return from, from + n
		}
		return from, len(everydayTable)
	}
	phrase += "\t"
	at := sort.Search(len(everydayTable), func(at int) bool {
		from, to := line(at)
		return everydayTable[from:to] >= phrase
	})
	from, to := line(at)
	words, found := strings.CutPrefix(everydayTable[from:to], phrase)
	if !found {
		return nil
	}
	return strings.Fields(words)
}

// sayInCode adds the words of code for what a question or a task says in everyday words; parts are its words. Of
// phrases that share a word the longest counts.
func (q *Query) sayInCode(parts []string) {
	if !(q.Shape == Asked || q.Shape == Task && plainWords(q.Text)) {
		return
	}
	stems := make([]string, 0, maxWords)
	for _, p := range parts[:min(len(parts), maxWords)] {
		if n := len(stems); p == "t" && n > 0 && strings.HasSuffix(stems[n-1], "n") { // doesn't, as the phrases have it: doesnt
			stems[n-1] += p
			continue
		}
		stems = append(stems, lexical.Stem(p))
	}
	for n := longestPhrase; n > 0; n-- {
		for i := 0; i+n <= len(stems); i++ {
			words := codeWords(strings.Join(stems[i:i+n], " "))
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
