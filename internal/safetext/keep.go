package safetext

import (
	"strings"
	"unicode/utf8"
)

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

// Valid is text as UTF-8: each run of bytes that are none becomes one U+FFFD.
func Valid(text string) string { return strings.ToValidUTF8(text, "\ufffd") }
