package render

import (
	"strings"
	"unicode/utf8"
)

// cut shows the best part of a line that is too long, without its indentation. Where the limits leave no room for marks
// of omission beside text there are none.
func cut(line string, focus func(string) float64, maxChars, maxBytes int) string {
	line = strings.TrimSpace(line)
	if n := prefix(line, maxChars, maxBytes); n == len(line) {
		return line
	}
	chars, bytes := maxChars-2, maxBytes-2*len(ellipsis) // room for a mark at each end
	if chars < 2 || bytes < 2*utf8.UTFMax {
		return line[:prefix(line, maxChars, maxBytes)]
	}
	start := bestStart(line, focus, chars, bytes)
	if start == 0 {
		chars, bytes = chars+1, bytes+len(ellipsis)
	}
	end := start + prefix(line[start:], chars, bytes)
	if end == len(line) { // show as much before it as fits
		start = end - suffix(line, chars+1, bytes+len(ellipsis))
	}
	text := strings.TrimSpace(line[start:end])
	if start > 0 {
		text = ellipsis + text
	}
	if end < len(line) {
		text += ellipsis
	}
	return text
}

// bestStart is where the part of the line with the greatest focus begins, the first of equal ones. Parts overlap by
// half, so that what is looked for stands whole in one of them.
func bestStart(line string, focus func(string) float64, chars, bytes int) (start int) {
	best := 0.0
	for at := 0; at < len(line) && at < maxSearched; {
		end := at + prefix(line[at:], chars, bytes)
		if score := focus(line[at:end]); score > best {
			start, best = at, score
		}
		if end == len(line) {
			break
		}
		step := prefix(line[at:], chars/2, bytes/2)
		if gap := strings.LastIndexAny(line[at:at+step], " ,;(){}[]"); gap > step/2 {
			step = gap + 1 // begin with a whole word where one is near
		}
		at += step
	}
	return start
}

// prefix is the length in bytes of the longest beginning of s within the limits that splits no character.
func prefix(s string, chars, bytes int) (n int) {
	for n < len(s) && chars > 0 {
		_, size := utf8.DecodeRuneInString(s[n:])
		if n+size > bytes {
			break
		}
		n, chars = n+size, chars-1
	}
	return n
}

// suffix is the length in bytes of the longest end of s within the limits that splits no character.
func suffix(s string, chars, bytes int) (n int) {
	for n < len(s) && chars > 0 {
		_, size := utf8.DecodeLastRuneInString(s[:len(s)-n])
		if n+size > bytes {
			break
		}
		n, chars = n+size, chars-1
	}
	return n
}
