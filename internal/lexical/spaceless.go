package lexical

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	minSpacelessByte = 0xe0 // the least first byte of a letter that is spaceless: all are of U+0E00 and above
	maxSpacelessRun  = 96   // bytes after which NextIdent cuts letters of such scripts; an identifier is shorter

	// maxCompoundBytes is the number of bytes of such letters up to which an identifier that holds them is a compound;
	// a longer one is a sentence.
	maxCompoundBytes = 24
)

// Spaceless reports whether r belongs to a script that is written without spaces between words, or, as Korean, with
// spaces between groups of words that inflect: Han, Kana, Bopomofo, Hangul, Thai, Lao, Khmer and Burmese.
func Spaceless(r rune) bool {
	switch {
	case r < 0x0e00:
		return false
	case r <= 0x0eff, // Thai, Lao
		r >= 0x1000 && r <= 0x109f,                             // Burmese
		r >= 0x1100 && r <= 0x11ff,                             // parts of Hangul
		r >= 0x1780 && r <= 0x17ff,                             // Khmer
		r >= 0x3005 && r <= 0x3006, r >= 0x3031 && r <= 0x3035, // marks of repetition
		r >= 0x3040 && r <= 0x318f,   // Kana, Bopomofo, parts of Hangul
		r >= 0x31a0 && r <= 0x31ff,   // more of these
		r >= 0x3400 && r <= 0x4dbf,   // Han
		r >= 0x4e00 && r <= 0x9fff,   // Han
		r >= 0xa960 && r <= 0xa97f,   // parts of Hangul
		r >= 0xaa60 && r <= 0xaa7f,   // more of Burmese
		r >= 0xac00 && r <= 0xd7ff,   // Hangul
		r >= 0xf900 && r <= 0xfaff,   // Han
		r >= 0xff66 && r <= 0xffdc,   // narrow Kana and Hangul
		r >= 0x1aff0 && r <= 0x1b16f, // more Kana
		r >= 0x20000 && r <= 0x3ffff: // more Han
		return true
	}
	return false
}

// spacelessAt is the length of the letter of a spaceless script at i, 0 if there is none. A mark that stands on one is
// none.
func spacelessAt(text string, i int) int {
	if r, n := utf8.DecodeRuneInString(text[i:]); Spaceless(r) && !unicode.IsMark(r) {
		return n
	}
	return 0
}

// spacelessRunEnd is where the run of letters of spaceless scripts and their marks ends that begins at i, i if there is
// none.
func spacelessRunEnd(ident string, i int) int {
	for end := i; end < len(ident); {
		r, n := utf8.DecodeRuneInString(ident[end:])
		if !Spaceless(r) && !(end > i && unicode.IsMark(r)) {
			return end
		}
		end += n
	}
	return len(ident)
}

// isSpacelessRun reports whether a part that NextPart found is a run of letters of spaceless scripts.
func isSpacelessRun(part string) bool {
	if part == "" || part[0] < minSpacelessByte {
		return false
	}
	r, _ := utf8.DecodeRuneInString(part)
	return Spaceless(r)
}

// bigrams calls yield with each two adjacent letters of a run, marks included, or with its only letter. Wide and narrow
// forms are one.
func bigrams(run string, yield func(word string)) {
	if !norm.NFKC.IsNormalString(run) {
		run = norm.NFKC.String(run)
	}
	first, second, letters := 0, 0, 0 // where the last two letters begin
	for i, r := range run {
		if i > 0 && unicode.IsMark(r) {
			continue
		}
		if letters++; letters > 2 {
			yield(run[first:i])
		}
		first, second = second, i
	}
	if run != "" {
		yield(run[first:])
	}
}

// Segments calls yield with the words of one identifier as they are written: the identifier itself or, where it holds
// letters of spaceless scripts, its parts, and of these letters each two that are adjacent. An empty identifier has
// none.
func Segments(ident string, yield func(word string)) {
	if ident == "" {
		return
	}
	whole := true
	for i := range len(ident) {
		if ident[i] >= minSpacelessByte && spacelessAt(ident, i) > 0 {
			whole = false
			break
		}
	}
	if whole {
		yield(ident)
		return
	}
	for start, end := NextPart(ident, 0); start < len(ident); start, end = NextPart(ident, end) {
		if part := ident[start:end]; isSpacelessRun(part) {
			bigrams(part, yield)
		} else {
			yield(part)
		}
	}
}
