package rank

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
)

// vocabulary is what is known of names and of their parts whatever the question: a process that answers many about one
// project meets the same names each time. One scorer at a time uses it.
type vocabulary struct {
	names map[string]knownName
	ids   map[string]int32 // of parts, as they are written and in lower case
	parts []knownPart
	bytes int // of the keys
	used  bool

	forms []form // of the parts, for the question at hand
	turn  uint32 // of the question at hand
	fits  []nameFit
}

// knownName is a name taken apart.
type knownName struct {
	parts [maxNameParts]int32
	n     int8
	term  code.TermID // of the whole name in a text; 0 for one that is too short
}

// knownPart is a part of names.
type knownPart struct {
	text  string // lower case
	stem  string
	term  code.TermID // of the stem
	minor bool        // it tells little of a file
}

// form is what a part is to the question of a turn.
type form struct {
	near
	turn uint32
}

// A vocabulary that has grown beyond these bounds starts anew. A name of more parts is taken apart each time.
const (
	maxVocabulary      = 1 << 15 // names, and parts
	maxVocabularyBytes = 4 << 20
	maxNameParts       = 6
)

// idle are the vocabularies that no scorer uses. Where more scorers run at once, they begin with empty ones.
var idle = make(chan *vocabulary, 2)

// borrow gives a vocabulary for one question; giveBack ends its use.
func borrow() *vocabulary {
	select {
	case v := <-idle:
		v.used = true
		v.begin()
		return v
	default:
		v := &vocabulary{turn: 1}
		v.clear()
		return v
	}
}

func (v *vocabulary) giveBack() {
	select {
	case idle <- v:
	default:
	}
}

// begin makes room and starts a new turn.
func (v *vocabulary) begin() {
	v.turn++
	v.fits = v.fits[:0]
	if len(v.names) > maxVocabulary || len(v.parts) > maxVocabulary || v.bytes > maxVocabularyBytes || v.turn == 0 {
		v.clear()
	}
}

func (v *vocabulary) clear() {
	*v = vocabulary{names: make(map[string]knownName), ids: make(map[string]int32, 1024), used: v.used, turn: 1, fits: v.fits}
}

// part is the number of a part, as it is written.
func (v *vocabulary) part(written string) int32 {
	id, ok := v.ids[written]
	if ok {
		return id
	}
	text := strings.ToLower(written)
	if id, ok = v.ids[text]; !ok {
		text = strings.Clone(text) // written may be part of a large text
		stem := lexical.Stem(text)
		id = int32(len(v.parts))
		v.parts = append(v.parts, knownPart{text, stem, lexical.Word(stem).ID, genericStemWords[text]})
		v.forms = append(v.forms, form{})
		v.ids[text] = id
		v.bytes += len(text)
	}
	if text != written {
		v.ids[strings.Clone(written)] = id
		v.bytes += len(written)
	}
	return id
}

// fit keeps what a name is to the question until the next turn.
func (v *vocabulary) fit(f nameFit) *nameFit {
	if len(v.fits) == cap(v.fits) { // those in use stay where they are
		v.fits = make([]nameFit, 0, max(512, 2*cap(v.fits)))
	}
	v.fits = append(v.fits, f)
	return &v.fits[len(v.fits)-1]
}

// split takes a name apart; ids has room for its first parts.
func (v *vocabulary) split(name string, ids []int32) []int32 {
	for start, end := lexical.NextPart(name, 0); start < len(name); start, end = lexical.NextPart(name, end) {
		ids = append(ids, v.part(name[start:end]))
	}
	return ids
}

// name takes a name apart, or knows how it was. A process that asks but one question need not remember.
func (v *vocabulary) name(name string, room []int32) (parts []int32, term code.TermID) {
	if k, ok := v.names[name]; ok {
		return append(room, k.parts[:k.n]...), k.term
	}
	parts = v.split(name, room)
	term = v.term(name, parts)
	if v.used && len(parts) <= maxNameParts {
		k := knownName{n: int8(len(parts)), term: term}
		copy(k.parts[:], parts)
		v.names[strings.Clone(name)] = k
		v.bytes += len(name)
	}
	return parts, term
}

// term is the term of a whole name in a text, 0 for a name that is too short.
func (v *vocabulary) term(name string, parts []int32) code.TermID {
	id, n := lexical.WordID(name)
	switch {
	case n < 4:
		return 0
	case len(parts) > 1:
		return id
	case n == len(name): // the only part is all of it
		return v.parts[parts[0]].term
	}
	return lexical.Word(lexical.Stem(lexical.Join(name))).ID
}
