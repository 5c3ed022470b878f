package lexical

import (
	"encoding/hex"

	"github.com/contextd/contextd/internal/code"
)

// Word is the term of a word of the text: a stem, or a compound.
func Word(word string) code.Term { return termOf('x', 'u', word) }

// Name is the look-up term of a defined name (see [Join]).
func Name(joined string) code.Term { return termOf('y', 'v', joined) }

// FileName is the look-up term of a file stem (see [Join], [FileStem]).
func FileName(joined string) code.Term { return termOf('z', 'w', joined) }

func termOf(prefix, hexPrefix byte, word string) code.Term {
	text := string(prefix) + word
	for i := range len(word) {
		if c := word[i]; !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9') {
			text = string(hexPrefix) + hex.EncodeToString([]byte(word))
			break
		}
	}
	return code.Term{Text: text, ID: id(text)}
}

// WordID is the ID of Word(Join(ident)), and how many bytes the joined word has.
func WordID(ident string) (code.TermID, int) {
	h, n := uint64(offset64), 0
	h = (h ^ 'x') * prime64
	for i := range len(ident) {
		c := ident[i]
		switch class[c] {
		case clsUpper:
			c += 'a' - 'A'
		case clsUnder, clsOther:
			continue
		}
		if c >= 0x80 {
			joined := Join(ident)
			return Word(joined).ID, len(joined)
		}
		h = (h ^ uint64(c)) * prime64
		n++
	}
	return mix(h), n
}

// FNV-1a of 64 bits.
const (
	offset64 = 14695981039346656037
	prime64  = 1099511628211
)

// id is FNV-1a with a final mix, cut to code.TermIDBits.
func id(text string) code.TermID {
	h := uint64(offset64)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * prime64
	}
	return mix(h)
}

func mix(h uint64) code.TermID {
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	h ^= h >> 32
	return code.TermID(h & (1<<code.TermIDBits - 1))
}
