package rank

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/contextd/contextd/internal/lexical"
)

//go:embed thesaurus.txt
var thesaurusText string

// thesaurus holds, by the stem of a word, the stems of the words that programmers use for the same thing: a line of
// thesaurus.txt is a group, and a word may be in several.
var thesaurus = sync.OnceValue(func() map[string][]string {
	m := make(map[string][]string)
	for line := range strings.Lines(thesaurusText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		group := strings.Fields(line)
		for i, w := range group {
			group[i] = lexical.Stem(w)
		}
		for _, a := range group {
			for _, b := range group {
				if a != b {
					m[a] = append(m[a], b)
				}
			}
		}
	}
	return m
})
