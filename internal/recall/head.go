package recall

import (
	"iter"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/contextd/contextd/internal/lexical"
)

// Bounds of the head of a text, in which it says who speaks, and when.
const (
	maxHead      = 120 // bytes
	maxHeads     = 8   // places where it may end
	speakerWords = 3
)

// noSpeaker are words that stand before a colon and are nobody.
var noSpeaker = lexical.WordSet(`note todo fixme warning decision fact failure error plan preference convention procedure pattern
	summary review reason why because how what when where task result test fix bug cause update tip
	important example usage http https feat chore docs refactor`)

// headWords may stand in a head beside a name and a time.
var headWords = lexical.WordSet(`said says on at am pm utc from session turn the of speaker date time text name role
	message`)

// splitHead reads the head of a text such as "Ann (8 May 2024): ", "[2024-05-08 10:15] Ann: ", "8 May 2024 | Ann | " or
// "Ann: ", and returns who speaks, in lower case, when, and where the rest begins. A text without such a head is all
// rest. Of several heads the first that tells a time counts, then the first that ends with a colon.
func splitHead(text string) (speaker string, said time.Time, rest int) {
	tries := 0
	for end, next := range headEnds(text) {
		if tries++; tries > maxHeads {
			break
		}
		colon := text[end] == ':'
		s, at, ok := readHead(text[:end])
		switch {
		case !ok:
		case !at.IsZero():
			return s, at, next
		case colon && speaker == "":
			speaker, rest = s, next
		}
	}
	return speaker, time.Time{}, rest
}

// readHead reads a head: one name, and perhaps a time.
func readHead(head string) (speaker string, said time.Time, ok bool) {
	from, to := 0, 0
	if strings.ContainsAny(head, "0123456789") {
		var d span
		if d, from, to = findDate(head); to > 0 {
			said = withClock(head, d.from)
		}
	}
	words := 0
	for at := 0; ; {
		start, stop := lexical.NextIdent(head, at)
		if start == len(head) {
			return speaker, said, speaker != ""
		}
		at = stop
		w := strings.ToLower(head[start:stop])
		r, _ := utf8.DecodeRuneInString(head[start:])
		switch {
		case start >= from && stop <= to, unicode.IsDigit(r), headWords[w]:
			continue
		case noSpeaker[w] || !unicode.IsUpper(r) && unicode.ToLower(r) != unicode.ToUpper(r):
			return "", time.Time{}, false
		}
		if words++; words > speakerWords {
			return "", time.Time{}, false
		}
		if speaker != "" {
			speaker += " "
		}
		speaker += w
	}
}

// headEnds are the places where a head may end, and where what follows begins: a colon with a blank or a line end
// behind it, a bar or a dash between blanks, a line end, an opening quote.
func headEnds(text string) iter.Seq2[int, int] {
	return func(yield func(end, next int) bool) {
		blank := func(i int) bool { return i >= len(text) || text[i] == ' ' || text[i] == '\n' }
		for i := range min(len(text), maxHead) {
			next := i + 1
			switch c := text[i]; {
			case c == '\n', c == ':' && blank(i+1):
			case (c == '|' || c == '-') && i > 0 && blank(i-1) && blank(i+1):
			case c == '"' && i > 0 && blank(i-1):
			case strings.HasPrefix(text[i:], "—"):
				next = i + len("—")
			default:
				continue
			}
			if !yield(i, next) {
				return
			}
		}
	}
}
