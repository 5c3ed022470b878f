package tokens

import (
	"fmt"
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

// keepBest keeps the best units that fit into room bytes, and in any case the best one.
func keepBest(units []unit, room int) {
	order := make([]int, len(units))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := units[a].score, units[b].score; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	for k, i := range order {
		if n := len(units[i].text) + 1; k == 0 || n <= room && units[i].score > -1 {
			units[i].keep = true
			room -= n
		}
	}
}

// alarmWords are words by which a line of a log asks for attention.
var alarmWords = []string{"error", "fail", "panic", "fatal", "exception", "warn"}

// signature reports whether a line of code looks like the head of a definition.
func signature(line string) bool {
	fields := strings.Fields(line)
	for k, word := range fields[:min(len(fields), 4)] {
		if definitionWords[strings.TrimRight(word, "(:{")] {
			return k+1 < len(fields) || len(fields) > 1
		}
		if !modifiers[word] {
			return false
		}
	}
	return false
}

var definitionWords = lexical.WordSet("func def class type struct interface fn impl trait enum module package namespace function record protocol extension object union " +
	"macro defmodule defp defn data newtype instance sub proc fun message service rpc table create CREATE")

var modifiers = lexical.WordSet("public private protected internal static async export default abstract final override virtual inline const pub pub(crate) unsafe extern " +
	"open sealed partial data case template declare mut constexpr explicit")

// joinLines puts the kept lines behind each other, with a mark for each run that is left out. A single line is no
// longer than its mark as a rule: it is kept where that is so.
func joinLines(units []unit) string {
	var b strings.Builder
	for i := 0; i < len(units); {
		end := i
		for end < len(units) && !units[end].keep {
			end++
		}
		if end > i {
			indent := units[i].text[:len(units[i].text)-len(strings.TrimLeft(units[i].text, " \t"))]
			mark := fmt.Sprintf("%s… %d lines", indent, end-i)
			if end-i == 1 {
				mark = indent + "… 1 line"
			}
			if size(units[i:end]) <= len(mark)+1 {
				for ; i < end; i++ {
					b.WriteString(units[i].text + "\n")
				}
			} else {
				b.WriteString(mark + "\n")
			}
			i = end
			continue
		}
		b.WriteString(units[i].text + "\n")
		i++
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func size(units []unit) (n int) {
	for _, u := range units {
		n += len(u.text) + 1
	}
	return n
}

func joinSentences(units []unit) string {
	var b strings.Builder
	gap := false
	for _, u := range units {
		if u.keep {
			b.WriteString(u.text)
		} else if !gap && strings.TrimSpace(u.text) != "" {
			b.WriteString("… ")
		}
		gap = !u.keep
	}
	return strings.TrimSpace(b.String())
}

// sentences cuts prose after full stops, question and exclamation marks, and line ends; the white space behind belongs
// to the sentence before it.
func sentences(text string) (units []unit) {
	start := 0
	for i := 0; i < len(text); {
		end := 0
		switch {
		case text[i] == '\n':
			end = i + 1
		case strings.IndexByte(".!?", text[i]) >= 0 && i+1 < len(text) && (text[i+1] == ' ' || text[i+1] == '\n'):
			end = i + 1
		case strings.HasPrefix(text[i:], "。"), strings.HasPrefix(text[i:], "！"), strings.HasPrefix(text[i:], "？"):
			end = i + len("。")
		default:
			i++
			continue
		}
		for end < len(text) && (text[end] == ' ' || text[end] == '\n' || text[end] == '\t' || text[end] == '\r') {
			end++
		}
		units = append(units, unit{text: text[start:end]})
		start, i = end, end
	}
	if start < len(text) {
		units = append(units, unit{text: text[start:]})
	}
	return units
}
