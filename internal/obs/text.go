package obs

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes text from files, messages and requests safe to show on a terminal or in a log: control characters, the
// marks that turn or hide text (bidirectional overrides, zero-width and other format characters), line separators and
// bytes that are no UTF-8 come out as escapes such as \x1b and \u202e. Line breaks and tabs stay if lines is set.
func Clean(text string, lines bool) string {
	ok := func(r rune) bool {
		return r >= ' ' && r < 0x7f || lines && (r == '\n' || r == '\t') || r > 0xa0 && r != utf8.RuneError && unicode.IsPrint(r)
	}
	if strings.IndexFunc(text, func(r rune) bool { return !ok(r) }) < 0 {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case ok(r) || r == utf8.RuneError && strings.HasPrefix(text[i:], "\ufffd"):
			b.WriteRune(r)
		case r == utf8.RuneError:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r == 0x200d || r >= 0xfe00 && r <= 0xfe0f || unicode.Is(unicode.Zs, r):
			b.WriteRune(r) // the joiner and the selectors of emoji, and wide spaces: harmless
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// Cut is the start of text, at most n bytes, not ending within a rune.
func Cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
