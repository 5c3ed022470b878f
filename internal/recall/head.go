package recall

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/contextd/contextd/internal/lexical"
)

// Bounds of the head of a text, in which it says who speaks, and when.
const (
	maxHead      = 120 // bytes
	speakerWords = 3
)

// noSpeaker are words that stand before a colon and are nobody.
var noSpeaker = map[string]bool{"note": true, "todo": true, "fixme": true, "warning": true, "decision": true, "fact": true, "failure": true, "error": true, "plan": true,
	"preference": true, "convention": true, "procedure": true, "pattern": true, "summary": true, "review": true, "reason": true, "why": true, "because": true, "how": true,
	"what": true, "when": true, "where": true, "task": true, "result": true, "test": true, "fix": true, "bug": true, "cause": true, "update": true, "tip": true,
	"important": true, "example": true, "usage": true, "http": true, "https": true, "feat": true, "chore": true, "docs": true, "refactor": true}

// headWords may stand in a head beside a name and a time.
var headWords = map[string]bool{"said": true, "says": true, "on": true, "at": true, "am": true, "pm": true, "utc": true, "from": true, "session": true, "turn": true,
	"the": true, "of": true, "speaker": true, "date": true, "time": true}

// splitHead reads the head of a text such as "Ann (8 May 2024): ", "[2024-05-08 10:15] Ann: " or "Ann: ", and returns who speaks, in lower case, when, and
// where the rest begins. A text without such a head is all rest.
func splitHead(text string) (speaker string, said time.Time, rest int) {
	end := headEnd(text)
	if end < 0 {
		return "", time.Time{}, 0
	}
	head := text[:end]
	d, from, to := findDate(head)
	if to > 0 {
		said = clockIn(head, d.from)
	}
	words := 0
	for at := 0; ; {
		start, stop := lexical.NextIdent(head, at)
		if start == len(head) {
			break
		}
		at = stop
		w := strings.ToLower(head[start:stop])
		r, _ := utf8.DecodeRuneInString(head[start:])
		switch {
		case to > 0 && start >= from && stop <= to, unicode.IsDigit(r), headWords[w], meridiem(w):
			continue
		case noSpeaker[w] || !unicode.IsUpper(r) && unicode.ToLower(r) != unicode.ToUpper(r):
			return "", time.Time{}, 0
		}
		if words++; words > speakerWords {
			return "", time.Time{}, 0
		}
		if speaker != "" {
			speaker += " "
		}
		speaker += w
	}
	if speaker == "" {
		return "", time.Time{}, 0
	}
	return speaker, said, end + 1
}

// meridiem reports whether a word is a clock's, such as 10am.
func meridiem(w string) bool { return strings.HasSuffix(w, "am") && len(w) < 5 && w[0] < 'a' }

// headEnd is the colon that ends a head, −1 for none: one with a blank or a line end behind it, near the beginning of the first line.
func headEnd(text string) int {
	for i := range min(len(text), maxHead) {
		switch text[i] {
		case '\n':
			return -1
		case ':':
			if i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\n' {
				return i
			}
		}
	}
	return -1
}
