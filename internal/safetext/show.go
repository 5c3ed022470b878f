package safetext

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Text makes text of many lines safe to show: control characters, the marks that turn or hide text, whatever shows
// nothing (see visible), line separators and bytes that are no UTF-8 come out as escapes such as \x1b and \u202e; line
// ends and tabs stay. Text that is safe is returned as it is.
func Text(text string) string { return clean(text, true) }

// Line is Text for what must stay on its line, such as a path or a cell: line ends and tabs are shown as escapes, too.
func Line(text string) string { return clean(text, false) }

func clean(text string, lines bool) string {
	i := 0
	for i < len(text) && (text[i] >= ' ' && text[i] < 0x7f || lines && (text[i] == '\n' || text[i] == '\t')) {
		i++
	}
	if i == len(text) {
		return text
	}
	var b strings.Builder
	done, before := 0, seen{} // text[:done] is in b, where it had to change
	if i > 0 {
		before = before.then(rune(text[i-1]))
	}
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		ok := lines && (r == '\n' || r == '\t')
		if !ok && !(r == utf8.RuneError && size == 1) {
			ok = visible(r, before, text[i+size:])
		}
		before = before.then(r)
		if !ok {
			if b.Len() == 0 {
				b.Grow(len(text) + 16)
			}
			b.WriteString(text[done:i])
			b.WriteString(escapeOf(r, text[i:i+size]))
			done = i + size
			before = seen{}
		}
		i += size
	}
	if done == 0 {
		return text
	}
	return b.String() + text[done:]
}

// escapeOf is how a character, written in the bytes raw, is shown.
func escapeOf(r rune, raw string) string {
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		return fmt.Sprintf(`\x%02x`, raw[0])
	case r == '\n':
		return `\n`
	case r == '\t':
		return `\t`
	case r == '\r':
		return `\r`
	case r < 0x80:
		return fmt.Sprintf(`\x%02x`, r)
	case r > 0xffff:
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}
