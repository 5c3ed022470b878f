package rank

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
)

// A task that names a type is most often about it: of 34 tasks (commits, dev) whose first result defines a type that
// they name, with a relevance of at least .6, it was right in 31. The other three name the type in passing: as what to
// use, or as what is at hand when something else happens. There the file that defines it stands first by its name
// alone, and is no answer to be sure of.

// asideRelevance is the most that the first result of a task is worth that stands first by a type named in passing.
const asideRelevance = .6

// asideWords are the words behind which a task names something in passing.
var asideWords = lexical.WordSet(`use uses using via with through like when whenever setting passing`)

// behindAsides may stand between such a word and the name.
var behindAsides = lexical.WordSet(`a an the our its new`)

// asideReader follows the words of a text up to each name.
type asideReader struct{ before string }

// next takes the next word and reports whether it is named in passing.
func (r *asideReader) next(sign string) bool {
	aside := asideWords[r.before]
	if word := strings.ToLower(sign); !behindAsides[word] {
		r.before = word
	}
	return aside
}

// passing reports whether the first result of a task defines a type that the task names, and all names of the task that
// it defines are named in passing.
func (s *scorer) passing(out []Scored, rows []row) bool {
	if s.q.Shape != Task || len(out) == 0 {
		return false
	}
	types := false
	for i, d := range rows[out[0].File].idents {
		switch {
		case d.strength == 0:
		case !s.q.asides[i]:
			return false
		default:
			types = types || d.kind == code.KindType || d.kind == code.KindModule
		}
	}
	return types
}
