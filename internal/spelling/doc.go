// Package spelling finds, for a word that stands nowhere in a project, the words of the project's names that are spelt
// nearly like it.
//
// What can be meant is the dictionary of a project: the distinct parts of the names that its files define and of its
// files' own names, in lower case. It is one blob, the words in order, one a line, which a refresh keeps up
// ([Set.MergeInto]) and a question with a missing word reads ([Words], [Nearest]). Words of files that are gone may stay
// in it for a while: whoever uses one looks whether it still stands anywhere.
//
// A blob comes out of a store that others may write to: whatever it holds, a look-up takes bounded time and only gives
// words of letters a to z.
package spelling

import "strings"

// Kind is the name by which an index keeps the dictionary beside a project.
const Kind = "words"

// Bounds of a word, in letters: shorter ones are near too many others, longer ones are no words.
const (
	leastLetters = 4
	mostLetters  = 40
)

// isWord reports whether a word may stand in a dictionary: 4 to 40 letters a to z.
func isWord(word string) bool {
	return len(word) >= leastLetters && len(word) <= mostLetters &&
		!strings.ContainsFunc(word, func(r rune) bool { return r < 'a' || r > 'z' })
}
