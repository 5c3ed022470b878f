package rank

import (
	"strings"

	"github.com/contextd/contextd/internal/lexical"
)

// Shape is how a question is put. Each has weights of its own.
type Shape int

// The shapes, in the order of the columns of weights.txt.
const (
	Question Shape = iota // words about code: "how leases are renewed", "eviction of entries from the cache"
	Name                  // one identifier or qualified name: Query.Symbol is set
	Task                  // work to be done: "fix overflow in the parser", "net: add keepalive"
	Long                  // an issue text: over longWords words
	Asked                 // a question as people ask it: "what happens when the connection drops"
	Keywords              // two to five words that nothing binds: "retry token bucket"
	numShapes
)

var shapeNames = [numShapes]string{"question", "name", "task", "long", "asked", "keywords"}

// String is the name of a shape's column.
func (s Shape) String() string { return shapeNames[s] }

// longWords is the number of words over which a text is Long. The static embedder draws the line at the same place.
const longWords = 40

// What may stand before a task proper: "net/http: ", "[cli] ", "feat(parser)!: ".
var taskScope = lazily(`^(?:\[[^\]\n]{1,40}\]\s*|[\pL\pN_./,*\-]{1,60}(?:\([^)\n]{1,40}\))?!?:\s+)+`)

// shapeOf tells the shape of a text that is not a name.
func shapeOf(text string) Shape {
	n := 0
	for start, end := lexical.NextIdent(text, 0); start < len(text); start, end = lexical.NextIdent(text, end) {
		if n++; n > longWords {
			return Long
		}
	}
	scope := ""
	if strings.ContainsAny(text, "[:") {
		scope = taskScope().FindString(text)
	}
	rest := text[len(scope):]
	first, after := firstWord(rest)
	if strings.HasSuffix(first, "ly") && len(first) > 5 { // "properly close the socket"
		first, after = firstWord(after)
	}
	second, _ := firstWord(after)
	terse := unbound(text, n)
	switch {
	case first == "do" && second == "not":
		return Task
	case asks(first, second):
		return Asked
	case askingWords[first]: // "how leases are renewed" names a subject
		return Question
	case scope == "" && terse && keywords(text, first):
		return Keywords
	case scope != "" && n > 2, taskVerb(first), orders(rest, first, second, n):
		return Task
	case terse:
		return Keywords
	}
	return Question
}

// mostKeywords is the number of words up to which words without a sentence are read as keywords.
const mostKeywords = 5

// keywords reports whether an unbound text names things and orders nothing, though its first word could be a verb:
// "retry throttling token bucket". A sentence begins with a capital; words that are hardly anything but verbs order.
func keywords(text, first string) bool {
	text = strings.TrimSpace(text)
	return text[0] >= 'a' && text[0] <= 'z' && !taskVerbs[first] && !plainVerbs[first]
}

// unbound reports whether a text is of few words and has none that binds others.
func unbound(text string, words int) bool {
	if words > mostKeywords || words < 2 {
		return false
	}
	for w := range strings.FieldsSeq(text) {
		if stopwords[w] {
			return false
		}
	}
	return true
}

// asks reports whether a text that begins with these two words asks as people do: a question word with a verb, not a
// clause.
func asks(first, second string) bool {
	return askedAlone[first] || askingWords[first] && auxiliaries[second]
}

// leastOrder is the number of words from which a text that begins with what may be a noun is read as an order.
const leastOrder = 4

// orders reports whether a text begins with a word that is a verb as often as a noun, in the place of a verb: with a
// capital as a sentence has it, or before an article. "Show progress while removing a large folder" orders, "progress
// bar rendering" does not.
func orders(text, first, second string, words int) bool {
	if words < leastOrder || !nounVerbs[first] {
		return false
	}
	text = strings.TrimLeft(text, " \t\n")
	sentence := len(text) > 1 && text[0] >= 'A' && text[0] <= 'Z' && text[1] >= 'a' && text[1] <= 'z'
	return sentence || articles[second]
}

// firstWord cuts the first word, in lower case, off a text.
func firstWord(text string) (word, rest string) {
	start, end := lexical.NextIdent(text, 0)
	return strings.ToLower(text[start:end]), text[end:]
}

// taskVerb reports whether a word is a verb of change in any of its forms but one: "handling errors" names a thing.
func taskVerb(word string) bool {
	return taskVerbs[word] || taskVerbStems()[lexical.Stem(word)] && !strings.HasSuffix(word, "ing")
}
