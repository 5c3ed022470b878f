package rank

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/contextd/contextd/internal/lexical"
)

//go:embed thesaurus.txt
var thesaurusText string

// thesaurus holds, by the stem of a word, the groups of stems of words that programmers use for the same thing: a line of
// thesaurus.txt is a group, and a word may be in several.
var thesaurus = sync.OnceValue(func() map[string][][]string {
	m := make(map[string][][]string, 1024)
	for line := range strings.Lines(thesaurusText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		group := strings.Fields(line)
		for i, w := range group {
			group[i] = lexical.Stem(w)
		}
		for _, stem := range group {
			m[stem] = append(m[stem], group)
		}
	}
	return m
})

// related calls visit with the stems of the words that may stand for a word, given by its stem.
func related(stem string, visit func(other string)) {
	for _, group := range thesaurus()[stem] {
		for _, other := range group {
			if other != stem {
				visit(other)
			}
		}
	}
}
