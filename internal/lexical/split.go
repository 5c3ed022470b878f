package lexical

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxIdent is the length in bytes over which an identifier is no word (encoded data, hashes) and is left out.
const MaxIdent = 128

// maxNumber is the number of digits over which a number is no word.
const maxNumber = 6

const (
	clsOther = iota
	clsUpper
	clsLower // and bytes of letters of other scripts
	clsDigit
	clsUnder
	clsWide // the first byte of a letter of U+0800 and above
)

var class = func() (t [256]byte) {
	for c := 'A'; c <= 'Z'; c++ {
		t[c] = clsUpper
	}
	for c := 'a'; c <= 'z'; c++ {
		t[c] = clsLower
	}
	for c := '0'; c <= '9'; c++ {
		t[c] = clsDigit
	}
	t['_'] = clsUnder
	for c := 0x80; c < 0x100; c++ {
		t[c] = clsLower
	}
	for c := minSpacelessByte; c < 0x100; c++ {
		t[c] = clsWide
	}
	return t
}()

// NextIdent finds the next identifier of text at or after from: text[start:end]. start is len(text) when there is none.
// A sentence without spaces is cut after maxSpacelessRun bytes.
func NextIdent(text string, from int) (start, end int) {
	for start = from; start < len(text); {
		ok, n := wordRune(text, start)
		if ok {
			break
		}
		start += n
	}
	for end = start; end < len(text); {
		if c := class[text[end]]; text[end] < 0x80 && c != clsOther {
			end++
			continue
		}
		ok, n := wordRune(text, end)
		if !ok || text[end] >= minSpacelessByte && end-start >= maxSpacelessRun && spacelessAt(text, end) > 0 {
			break
		}
		end += n
	}
	return start, end
}

// wordRune reports whether the rune at i belongs to an identifier, and its length.
func wordRune(text string, i int) (bool, int) {
	if c := text[i]; c < 0x80 {
		return class[c] != clsOther, 1
	}
	r, n := utf8.DecodeRuneInString(text[i:])
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)), n
}

// Split calls yield with each part of an identifier, in lower case, those of one letter too.
func Split(ident string, yield func(part string)) {
	for start, end := NextPart(ident, 0); start < len(ident); start, end = NextPart(ident, end) {
		yield(strings.ToLower(ident[start:end]))
	}
}

// NextPart finds the next part of an identifier at or after from, as it is written: ident[start:end]. start is
// len(ident) when there is none.
func NextPart(ident string, from int) (start, end int) {
	i, n := from, len(ident)
	for i < n && (class[ident[i]] == clsOther || class[ident[i]] == clsUnder) {
		i++
	}
	if i == n {
		return n, n
	}
	j, c := i+1, class[ident[i]]
	switch c {
	case clsWide:
		if end := spacelessRunEnd(ident, i); end > i {
			return i, end
		}
		return i, lowerEnd(ident, i)
	case clsLower:
		return i, lowerEnd(ident, j)
	}
	for j < n && class[ident[j]] == c {
		j++
	}
	if c == clsUpper && lowerAt(ident, j) > 0 {
		switch {
		case j-i == 1: // one capital begins a word
			j = lowerEnd(ident, j)
		case ident[j] == 's' && lowerAt(ident, j+1) == 0: // an acronym's plural: URLs
			j++
		default: // the last capital begins the next word
			j--
		}
	}
	return i, j
}

// lowerAt is the length of the small letter of ASCII, or the byte or letter of another script that has spaces, at i; 0
// if there is none.
func lowerAt(ident string, i int) int {
	if i >= len(ident) {
		return 0
	}
	switch class[ident[i]] {
	case clsLower:
		return 1
	case clsWide:
		r, n := utf8.DecodeRuneInString(ident[i:])
		if !Spaceless(r) {
			return n
		}
	}
	return 0
}

// lowerEnd is where the letters of lowerAt end that stand at i.
func lowerEnd(ident string, i int) int {
	for i < len(ident) {
		if class[ident[i]] == clsLower {
			i++
		} else if n := lowerAt(ident, i); n > 0 {
			i += n
		} else {
			break
		}
	}
	return i
}

// Join is an identifier as one word: lower case, nothing but letters and digits. It is what compounds, names and file
// stems are compared by.
func Join(ident string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r < 0x80:
			return -1
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, ident)
}

// Key is what a defined name is looked up by: Join of it or, where that is empty as for "$" and "_", the name itself.
func Key(name string) string {
	if joined := Join(name); joined != "" {
		return joined
	}
	return name
}

// JoinsTo reports whether Join of an identifier is joined.
func JoinsTo(ident, joined string) bool {
	n := 0
	for i := range len(ident) {
		c := ident[i]
		switch class[c] {
		case clsUpper:
			c += 'a' - 'A'
		case clsUnder, clsOther:
			continue
		}
		if c >= 0x80 {
			return Join(ident) == joined
		}
		if n == len(joined) || joined[n] != c {
			return false
		}
		n++
	}
	return n == len(joined)
}

// WordSet is the set of the words of a list, which blanks part.
func WordSet(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}
