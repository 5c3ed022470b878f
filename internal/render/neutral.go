package render

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Neutral makes text of many lines harmless to print: line ends and tabs stay, every other control character and every
// character that reorders or hides text is shown as its escape, such as \x1b or \u202e, and bytes that are not UTF-8 as
// "�". Text without any of these is returned as it is.
func Neutral(s string) string { return neutral(s, false) }

// NeutralLine is Neutral for text that must stay on its line, such as a path: line ends and tabs are shown as escapes too.
func NeutralLine(s string) string { return neutral(s, true) }

func neutral(s string, line bool) string {
	i := 0
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || harmful(r, line) {
			break
		}
		i += size
	}
	if i == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:i])
	for _, r := range s[i:] { // an invalid byte becomes U+FFFD here
		if !harmful(r, line) {
			b.WriteRune(r)
			continue
		}
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

// harmful reports whether r may not be printed as it is.
func harmful(r rune, line bool) bool {
	switch {
	case r < ' ':
		return line || r != '\n' && r != '\t'
	case r < 0x7f:
		return false
	case r < 0xa0: // DEL and the C1 controls
		return true
	case r == 0x061c, r == 0x200e, r == 0x200f: // marks of direction
		return true
	case 0x202a <= r && r <= 0x202e, 0x2066 <= r && r <= 0x2069: // embeddings, overrides and isolates
		return true
	case r == 0x2028, r == 0x2029: // ends of line and paragraph
		return true
	case 0xe0000 <= r && r <= 0xe0fff: // tags, invisible copies of ASCII; selectors that can spell any bytes behind one character
		return true
	case r == 0x180e, r == 0x200b, 0x2060 <= r && r <= 0x206f, r == 0xfeff, 0xfff9 <= r && r <= 0xfffb: // seen by no one but a model
		return true
	}
	return false
}
