package rank

import (
	"strings"

	"github.com/contextd/contextd/internal/lexical"
)

// Shape is how a question is put. Each has weights of its own.
type Shape int

// The shapes, in the order of the columns of weights.txt.
const (
	Question Shape = iota // words about code: "where is the cache invalidated"
	Name                  // one identifier or qualified name: Query.Symbol is set
	Task                  // work to be done: "fix overflow in the parser", "net: add keepalive"
	Long                  // an issue text: over longWords words
	numShapes
)

var shapeNames = [numShapes]string{"question", "name", "task", "long"}

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
	switch {
	case first == "do" && second == "not":
		return Task
	case askingWords[first]:
		return Question
	case scope != "" && n > 2, taskVerb(first):
		return Task
	}
	return Question
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
