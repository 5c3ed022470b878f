package rank

import (
	"hash/maphash"
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
)

// vocabulary is what is known of files, names and parts of names whatever the question: a process that answers many
// about one project meets the same ones each time. One scorer at a time uses it, and no score depends on what it holds.
type vocabulary struct {
	seed  maphash.Seed
	files map[uint64][]int32 // by hash of a file's blob: the numbers of the names of its definitions, in order
	ids   map[string]int32   // numbers of names
	names []knownName        // by number
	list  []int32            // parts of the names, one name after the other
	parts []knownPart        // by number
	slots []int32            // hash table of the parts: number plus 1; 0: free
	size  int                // bytes that all this takes, about
	used  bool               // a question was asked before

	turn  uint32 // of the question at hand
	forms []form // what parts are to it, beside parts
	fits  []turnFit
	spare []nameFit // what names without a number are to it
}

// knownName is a name taken apart.
type knownName struct {
	name     string
	from, to int32       // its parts in vocabulary.list
	term     code.TermID // of the whole name in a text; 0 for one that is too short
}

// form is what a part was to the question of a turn, turnFit what a name was.
type (
	form struct {
		near
		turn uint32
	}
	turnFit struct {
		nameFit
		turn uint32
	}
)

// maxVocabulary is the size over which a vocabulary starts again.
const maxVocabulary = 16 << 20

// idle are the vocabularies that no scorer uses. Where more scorers run at once, they begin with empty ones.
var idle = make(chan *vocabulary, 2)

// borrow gives a vocabulary for one question; giveBack ends its use.
func borrow() *vocabulary {
	select {
	case v := <-idle:
		v.begin()
		return v
	default:
		return newVocabulary()
	}
}

func newVocabulary() *vocabulary {
	v := &vocabulary{seed: maphash.MakeSeed()}
	v.clear()
	return v
}

func (v *vocabulary) giveBack() {
	v.used = true
	select {
	case idle <- v:
	default:
	}
}

// begin makes room and starts a new turn.
func (v *vocabulary) begin() {
	v.turn++
	v.spare = v.spare[:0]
	if v.size > maxVocabulary || v.turn == 0 {
		v.clear()
	}
}

func (v *vocabulary) clear() {
	*v = vocabulary{seed: v.seed, files: make(map[uint64][]int32), ids: make(map[string]int32),
		slots: make([]int32, 2048), used: v.used, turn: 1, spare: v.spare}
}

// file gives the numbers of the names of a file's definitions, nil where they need not be remembered: by a process that
// asks but one question.
func (v *vocabulary) file(f *File, definitions int) []int32 {
	if !v.used || f.Blob == "" {
		return nil
	}
	key := maphash.String(v.seed, f.Blob)
	if ids := v.files[key]; len(ids) == definitions {
		return ids
	}
	ids := make([]int32, 0, definitions)
	for i := range f.Features.Chunks {
		for k := range f.Features.Chunks[i].Symbols {
			ids = append(ids, v.name(f.Features.Chunks[i].Symbols[k].Name))
		}
	}
	v.files[key] = ids
	v.size += 64 + 4*len(ids)
	return ids
}

// name is the number of a name.
func (v *vocabulary) name(name string) int32 {
	id, ok := v.ids[name]
	if !ok {
		id = int32(len(v.names))
		from := int32(len(v.list))
		v.list = v.split(name, v.list)
		name = strings.Clone(name) // it is part of a large text
		v.names = append(v.names, knownName{name, from, int32(len(v.list)), v.term(name, v.list[from:])})
		v.fits = append(v.fits, turnFit{})
		v.ids[name] = id
		v.size += 128 + len(name) + 4*(len(v.list)-int(from))
	}
	return id
}

// split takes a name apart and adds its parts to ids.
func (v *vocabulary) split(name string, ids []int32) []int32 {
	for start, end := lexical.NextPart(name, 0); start < len(name); start, end = lexical.NextPart(name, end) {
		ids = append(ids, v.part(name[start:end]))
	}
	return ids
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
