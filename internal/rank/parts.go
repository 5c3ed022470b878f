package rank

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
)

// knownPart is a part of names.
type knownPart struct {
	text  string // lower case
	stem  string
	term  code.TermID // of the stem
	minor bool        // it tells little of a file
}

// part is the number of a part, however its letters are written.
func (v *vocabulary) part(written string) int32 {
	hash, plain := hashOf(written)
	if !plain {
		written = strings.ToLower(written)
		hash, _ = hashOf(written)
	}
	at := v.slot(hash, written)
	if id := v.slots[at]; id > 0 {
		return id - 1
	}
	text := written
	if plain {
		text = strings.ToLower(written)
	}
	if text == written {
		text = strings.Clone(text) // it is part of a large text
	}
	p := knownPart{text: text, stem: lexical.Stem(text), minor: genericStemWords[text]}
	if plain {
		p.term, _ = lexical.WordID(p.stem)
	} else {
		p.term = lexical.Word(p.stem).ID
	}
	v.parts, v.forms = append(v.parts, p), append(v.forms, form{})
	v.slots[at] = int32(len(v.parts))
	v.size += 128 + len(text)
	if 2*len(v.parts) > len(v.slots) {
		v.slots = make([]int32, 2*len(v.slots))
		for i := range v.parts {
			hash, _ := hashOf(v.parts[i].text)
			v.slots[v.slot(hash, v.parts[i].text)] = int32(i + 1)
		}
	}
	return int32(len(v.parts) - 1)
}

// slot is where the number of a part stands, or would stand.
func (v *vocabulary) slot(hash uint32, written string) int {
	mask := len(v.slots) - 1
	for i := int(hash) & mask; ; i = (i + 1) & mask {
		if id := v.slots[i]; id == 0 || isLower(v.parts[id-1].text, written) {
			return i
		}
	}
}

// hashOf is FNV-1a of 32 bits over a text in lower case. plain: there is nothing but ASCII in it, else it has to be in
// lower case.
func hashOf(text string) (hash uint32, plain bool) {
	hash, plain = 2166136261, true
	for i := range len(text) {
		c := text[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		hash = (hash ^ uint32(c)) * 16777619
		plain = plain && c < 0x80
	}
	return hash, plain
}

// isLower reports whether text is written with the letters of ASCII in lower case.
func isLower(text, written string) bool {
	if len(text) != len(written) {
		return false
	}
	for i := range len(text) {
		c := written[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != text[i] {
			return false
		}
	}
	return true
}
