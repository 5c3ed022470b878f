package static

import "strings"

// The tokeniser, byte for byte as in training. An identifier is a maximal run of ASCII letters, digits and '_' that
// does not begin with a digit; its parts are runs of digits, of lower-case letters with at most one capital before
// them, and of capitals (the last capital before a lower-case letter begins the next part): parseHTTPResponse2xx is
// parse, HTTP, Response, 2, xx. Everything else separates, all of non-ASCII included. A part of one character counts
// only if it is a digit; there are no stems, no stop words and no whole identifiers.

// Classes of bytes.
const (
	other = iota
	under
	digit
	lower
	upper
)

var class = func() (t [256]uint8) {
	t['_'] = under
	for c := '0'; c <= '9'; c++ {
		t[c] = digit
	}
	for c := 'a'; c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = lower, upper
	}
	return t
}()

// identifier finds the first identifier of s that begins at i or later; start == end where there is none.
func identifier(s string, i int) (start, end int) {
	for i < len(s) && (class[s[i]] == other || class[s[i]] == digit) {
		i++
	}
	start = i
	for i < len(s) && class[s[i]] != other {
		i++
	}
	return start, i
}

// part finds the first part of the identifier s[i:end], as written; start == stop where there is none.
func part(s string, i, end int) (start, stop int) {
	s = s[:end]
	for i < len(s) && s[i] == '_' {
		i++
	}
	start = i
	if i == len(s) {
		return start, start
	}
	kind := class[s[i]]
	for i < len(s) && class[s[i]] == kind {
		i++
	}
	if kind == upper && i < len(s) && class[s[i]] == lower {
		if i-start > 1 {
			return start, i - 1
		}
		for i < len(s) && class[s[i]] == lower {
			i++
		}
	}
	return start, i
}

// counts reports whether the part s[start:stop] is a word.
func counts(s string, start, stop int) bool { return stop-start > 1 || class[s[start]] == digit }

// Words is the words of a text as vectors count them, in order, in lower case, unknown ones too. Training takes its
// words from here, so that it and the program agree.
func Words(text string) (words []string) {
	for start, end := identifier(text, 0); start < end; start, end = identifier(text, end) {
		for a, b := part(text, start, end); a < b; a, b = part(text, b, end) {
			if counts(text, a, b) {
				words = append(words, strings.ToLower(text[a:b]))
			}
		}
	}
	return words
}

// PathWords is the words of a path that count in the vector of a document, each as four of the text.
func PathWords(path string) []string {
	words := Words(withoutExtension(path))
	return words[max(0, len(words)-pathWords):]
}

// countWords is the number of words of s, or limit if there are more.
func countWords(s string, limit int) (n int) {
	for start, end := identifier(s, 0); start < end && n < limit; start, end = identifier(s, end) {
		for a, b := part(s, start, end); a < b && n < limit; a, b = part(s, b, end) {
			if counts(s, a, b) {
				n++
			}
		}
	}
	return n
}

// load returns the bytes s[i:i+n], n at most 16, as two little-endian words, zeros after them.
func load(s string, i, n int) (lo, hi uint64) {
	if i+16 <= len(s) {
		lo, hi = le64(s[i:]), le64(s[i+8:])
		if n <= 8 {
			return lo & (1<<(8*n) - 1), 0
		}
		return lo, hi & (1<<(8*(n-8)) - 1)
	}
	for k := n - 1; k >= 0; k-- {
		if c := uint64(s[i+k]); k < 8 {
			lo = lo<<8 | c
		} else {
			hi = hi<<8 | c
		}
	}
	return lo, hi
}

func le64(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
