package rank

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/contextd/contextd/internal/lexical"
)

//go:embed thesaurus.txt
var thesaurusText string

// A letter of the thesaurus holds, by the stem of a word that begins with that byte, the groups of stems of words that
// programmers use for the same thing: a line of thesaurus.txt is a group, and a word may be in several. It is read when
// a question first has a word with this byte, since a command asks but one; a stem begins as its word does.
type letter struct {
	once   sync.Once
	groups map[string][][]string
}

var thesaurus [256]letter

func (l *letter) read(first byte) {
	l.groups = make(map[string][][]string, 64)
	for line := range strings.Lines(thesaurusText) {
		if line[0] == '#' || line[0] != first && !strings.Contains(line, string([]byte{' ', first})) {
			continue
		}
		group := strings.Fields(line)
		for i, w := range group {
			group[i] = lexical.Stem(w)
		}
		for _, stem := range group {
			if stem[0] == first {
				l.groups[stem] = append(l.groups[stem], group)
			}
		}
	}
}

// related calls visit with the stems of the words that may stand for a word, given by its stem.
func related(stem string, visit func(other string)) {
	if stem == "" {
		return
	}
	l := &thesaurus[stem[0]]
	l.once.Do(func() { l.read(stem[0]) })
	for _, group := range l.groups[stem] {
		for _, other := range group {
			if other != stem {
				visit(other)
			}
		}
	}
}
