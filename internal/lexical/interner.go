package lexical

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// maxIdents bounds the cache of an Interner; it starts again beyond.
const maxIdents = 1 << 17

// Interner knows which terms an identifier gives and numbers the terms densely, so that counting them needs no map. It
// serves one goroutine at a time and one file after another: numbers are valid until Reset.
type Interner struct {
	idents map[string][]int32 // identifier → its terms
	terms  map[string]int32   // term text → number
	list   []code.Term
}

// NewInterner returns an empty Interner.
func NewInterner() *Interner {
	return &Interner{idents: make(map[string][]int32, 4096), terms: make(map[string]int32, 4096)}
}

// Reset empties the cache if it has grown too large. To be called between files.
func (in *Interner) Reset() {
	if len(in.idents) > maxIdents {
		clear(in.idents)
		clear(in.terms)
		in.list = in.list[:0]
	}
}

// Len is the number of terms numbered so far: all numbers are below it.
func (in *Interner) Len() int { return len(in.list) }

// Term is the term with a number.
func (in *Interner) Term(n int32) code.Term { return in.list[n] }

// Ident returns the numbers of the terms of an identifier: its stemmed parts and, if it has several, the compound. The
// slice is shared.
func (in *Interner) Ident(ident string) []int32 {
	if nums, ok := in.idents[ident]; ok {
		return nums
	}
	var nums []int32
	Words(ident, func(w string) { nums = append(nums, in.number(w)) })
	in.idents[strings.Clone(ident)] = nums
	return nums
}

func (in *Interner) number(word string) int32 {
	t := Word(word)
	n, ok := in.terms[t.Text]
	if !ok {
		n = int32(len(in.list))
		in.list = append(in.list, t)
		in.terms[t.Text] = n
	}
	return n
}

// Words calls yield with the words of one identifier: each part of more than one letter, stemmed, of a run of letters
// of spaceless scripts each two that are adjacent, then the compound if there are several parts and no sentence is
// among them.
func Words(ident string, yield func(word string)) {
	if len(ident) > MaxIdent {
		return
	}
	parts, run := 0, 0
	Split(ident, func(part string) {
		parts++
		if isSpacelessRun(part) {
			run += len(part)
			bigrams(part, yield)
			return
		}
		if len(part) > 1 && !(class[part[0]] == clsDigit && len(part) > maxNumber) {
			yield(Stem(part))
		}
	})
	if parts > 1 && run <= maxCompoundBytes {
		if joined := Join(ident); len(joined) > 2 &&
			!(class[joined[0]] == clsDigit && strings.Trim(joined, "0123456789") == "") {
			yield(joined)
		}
	}
}
