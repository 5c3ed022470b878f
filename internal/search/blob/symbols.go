package blob

import (
	"encoding/binary"
	"slices"

	"github.com/contextd/contextd/internal/code"
)

// A symbol is stored as: a byte of its kind (bits 0 to 2), its parent (3 and 4) and its indent (5 to 7); line minus the
// chunk's first, lines minus 1; its indent where the byte does not tell it; its parent likewise; its name. A name or a
// parent is given by where in the file it stood before, if it did: half of all parents are that of the symbol before,
// and a fifth of the names are declared, overloaded or extended elsewhere.
//
//	name    twice its length, and the bytes; or twice the number of symbols back to one of that name, plus 1
//	parent  0, length and bytes; or twice the number of symbols back to one of that parent, less 1 if it is one's name

var kindCodes = []code.Kind{code.KindType, code.KindModule, code.KindFunc, code.KindValue, code.KindImpl, code.KindDecl, code.KindSection} // stored: append only

// otherKind stands for none of kindCodes.
const otherKind = 7

// How a symbol's parent is told.
const (
	noParent = iota
	sameParent
	nameBefore
	otherParent
)

// indents are the steps from the indent of the symbol before that are told in a symbol's first byte.
var indents = [...]int{0, 4, 2, -4, -2, 8, -8}

const otherIndent = len(indents)

// symbolWriter writes the symbols of a file, in order.
type symbolWriter struct {
	count   int
	before  code.Symbol    // the one before
	names   map[string]int // number of the last symbol of a name, from 1
	parents map[string]int // likewise
}

func (w *symbolWriter) append(b []byte, s *code.Symbol, line int) []byte {
	kind := slices.Index(kindCodes, s.Kind)
	if kind < 0 {
		kind = otherKind
	}
	indent := max(s.Indent, 0)
	step := slices.Index(indents[:], indent-w.before.Indent)
	if step < 0 {
		step = otherIndent
	}
	parent := otherParent
	switch {
	case s.Parent == "":
		parent = noParent
	case w.count > 0 && s.Parent == w.before.Parent:
		parent = sameParent
	case w.count > 0 && s.Parent == w.before.Name:
		parent = nameBefore
	}
	b = append(b, byte(kind|parent<<3|step<<5))
	b = binary.AppendUvarint(b, uint64(max(s.Line-line, 0)))
	b = binary.AppendUvarint(b, uint64(max(s.End-s.Line, 0)))
	if step == otherIndent {
		b = binary.AppendUvarint(b, uint64(indent))
	}
	if parent == otherParent {
		name, parent := w.names[s.Parent], w.parents[s.Parent]
		switch {
		case name > 0 && name >= parent:
			b = binary.AppendUvarint(b, uint64(2*(w.count+1-name)-1))
		case parent > 0:
			b = binary.AppendUvarint(b, uint64(2*(w.count+1-parent)))
		default:
			b = append(b, 0)
			b = append(binary.AppendUvarint(b, uint64(len(s.Parent))), s.Parent...)
		}
	}
	if have := w.names[s.Name]; have > 0 && s.Name != "" {
		b = binary.AppendUvarint(b, uint64(2*(w.count+1-have)+1))
	} else {
		b = append(binary.AppendUvarint(b, uint64(2*len(s.Name))), s.Name...)
	}
	w.remember(s, indent)
	return b
}

func (w *symbolWriter) remember(s *code.Symbol, indent int) {
	if w.names == nil {
		w.names, w.parents = make(map[string]int), make(map[string]int)
	}
	w.count++
	w.names[s.Name] = w.count
	if s.Parent != "" {
		w.parents[s.Parent] = w.count
	}
	w.before = code.Symbol{Name: s.Name, Parent: s.Parent, Indent: indent}
}

// reset forgets the file.
func (w *symbolWriter) reset() {
	clear(w.names)
	clear(w.parents)
	w.count, w.before = 0, code.Symbol{}
}

// symbol reads the symbol all[i] of a chunk that begins at line.
func (r *blobReader) symbol(all []code.Symbol, i, line int) {
	s, before := &all[i], &none
	if i > 0 {
		before = &all[i-1]
	}
	head := int(r.byte())
	if k := head & 7; k < len(kindCodes) {
		s.Kind = kindCodes[k]
	}
	s.Line = line + r.count(1<<31)
	s.End = s.Line + r.count(1<<31)
	if step := head >> 5; step == otherIndent {
		s.Indent = r.count(1 << 31)
	} else if s.Indent = before.Indent + indents[step]; s.Indent < 0 {
		r.fail()
		return
	}
	switch head >> 3 & 3 {
	case sameParent:
		s.Parent = before.Parent
	case nameBefore:
		s.Parent = before.Name
	case otherParent:
		switch n := r.count(2 * i); {
		case n == 0:
			s.Parent = r.take(r.count(r.left()))
		case n&1 != 0:
			s.Parent = all[i-(n+1)/2].Name
		default:
			s.Parent = all[i-n/2].Parent
		}
	}
	if n := r.count(max(2*r.left(), 2*i+1)); n&1 == 0 {
		s.Name = r.take(n / 2)
	} else if n = n / 2; n > 0 && n <= i {
		s.Name = all[i-n].Name
	} else {
		r.fail()
	}
}

var none code.Symbol
