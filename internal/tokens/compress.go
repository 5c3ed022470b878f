package tokens

import (
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/lexical"
)

// Form says what is kept when a text is shortened.
type Form int

// The forms of text.
const (
	Prose Form = iota // sentences by relevance
	Code              // signatures and lines that match
	Log               // lines that match, the first and the last ones
)

// FormOf is the form of the texts of a kind of item.
func FormOf(kind string) Form {
	switch kind {
	case "code", "test":
		return Code
	case "tool_output", "verbose_log", "test_result", "error":
		return Log
	}
	return Prose
}

// Words are the words that a text is searched for, stemmed.
type Words map[string]bool

// WordsOf reads the words of a question.
func WordsOf(text string) Words {
	w := Words{}
	each(text, func(word string) { w[word] = true })
	return w
}

func each(text string, yield func(word string)) {
	for start, end := lexical.NextIdent(text, 0); start < len(text); start, end = lexical.NextIdent(text, end) {
		if end-start <= lexical.MaxIdent {
			lexical.Words(text[start:end], yield)
		}
	}
}

// hits is how many of the words a text holds, each once, and once more for all of them together so that two rank above
// one twice.
func (w Words) hits(text string) float64 {
	if len(w) == 0 {
		return 0
	}
	seen := map[string]bool{}
	each(text, func(word string) {
		if w[word] {
			seen[word] = true
		}
	})
	return float64(len(seen))
}

// unit is a line or a sentence that is kept or left out whole.
type unit struct {
	text  string
	score float64
	keep  bool
}

// Compress shortens a text: about the share 1−aggressiveness of its bytes is kept, the units with the highest scores in
// their order, and never less than one. Of code those are signatures and lines that hold words of the question and
// nothing else, of logs lines that do or speak of errors and those at both ends, of prose sentences that do and the
// first ones. Lines left out of code and logs are marked as "… 12 lines", sentences as "…". ratio is the share of the
// bytes that the result has, 1 where nothing was to be gained; the result is never longer.
func Compress(text string, form Form, words Words, aggressiveness float64) (short string, ratio float64) {
	if text == "" || !(aggressiveness > 0) {
		return text, 1
	}
	units, last := []unit(nil), ""
	if form == Prose {
		units = sentences(text)
	} else {
		body := strings.TrimSuffix(text, "\n")
		last = text[len(body):]
		for line := range strings.SplitSeq(body, "\n") {
			units = append(units, unit{text: line})
		}
	}
	for i := range units {
		units[i].score = score(units[i].text, form, words, i, len(units))
	}
	keepBest(units, int(float64(len(text))*max(0, 1-aggressiveness)))
	if form == Prose {
		short = joinSentences(units)
	} else {
		short = joinLines(units) + last
	}
	if len(short) >= len(text) {
		return text, 1
	}
	return short, float64(len(short)) / float64(len(text))
}

func score(text string, form Form, words Words, i, n int) float64 {
	if strings.TrimSpace(text) == "" {
		return -1
	}
	s := 4 * words.hits(text)
	switch form {
	case Code:
		if signature(text) {
			s += 3
		}
		if i == 0 { // the definition that the chunk is about, as a rule
			s += 6
		}
		if s == 0 {
			return -1
		}
	case Log:
		lower := strings.ToLower(text)
		if slices.ContainsFunc(alarmWords, func(a string) bool { return strings.Contains(lower, a) }) {
			s += 2
		}
		return s - float64(min(i, n-1-i))/float64(n) // of equal ones those nearest to an end
	case Prose:
		if i == 0 {
			s++
		}
	}
	return s - float64(i)/float64(n) // of equal ones the first
}

func size(units []unit) (n int) {
	for _, u := range units {
		n += len(u.text) + 1
	}
	return n
}
