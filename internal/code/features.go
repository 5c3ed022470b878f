package code

import (
	"encoding/binary"
	"slices"
)

// Features is what the index keeps of a file for the ranker: everything but its text. It is stored as a blob, the same
// bytes on every backing.
//
// Layout, version 2, all numbers unsigned varints unless said: version byte; number of chunks; number of terms; the
// terms' ids in ascending order, 5 bytes each, little-endian; for each term the length in bytes of its postings; the
// postings of each term, one a chunk that holds it: the step from the chunk before times 2 (plus 1 if it is not just one
// occurrence in Body, then a mask of the fields that hold it and a count for each); then for each chunk: first line minus
// the line after the chunk before, lines minus 1, one length a field, number of look-up names and their ids (5 bytes),
// number of symbols, for each a kind byte, line minus the chunk's first, lines minus 1, indent, name, parent (length and
// bytes).
//
// Postings stand by term because a question asks for few of a file's terms: the others are stepped over.
type Features struct {
	Terms  []TermID // distinct terms of the file, ascending; for a Lookup the wanted ones, in the order given
	Chunks []ChunkFeatures
}

// ChunkFeatures are the features of one chunk.
type ChunkFeatures struct {
	Span     Span
	Lens     [NumFields]int
	Postings []Posting
	Names    []TermID // look-up terms
	Symbols  []Symbol
}

// Posting says how often each field of a chunk holds a term.
type Posting struct {
	Term int // index into Features.Terms
	TF   [NumFields]uint16
}

const featuresVersion = 2

var kindCodes = []Kind{KindType, KindModule, KindFunc, KindValue, KindImpl, KindDecl, KindSection} // stored: append only

// EncodeFeatures writes the features of an analyzed file.
func EncodeFeatures(f *File) []byte {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	e.number(f)
	e.turn(f)
	b := make([]byte, 0, 64+len(e.ids)*5+len(e.lens)+len(e.bytes)+64*len(f.Chunks))
	b = append(b, featuresVersion)
	b = binary.AppendUvarint(b, uint64(len(f.Chunks)))
	b = binary.AppendUvarint(b, uint64(len(e.ids)))
	for _, id := range e.ids {
		b = appendID(b, id)
	}
	b = append(append(b, e.lens...), e.bytes...)
	next := 1
	for i := range f.Chunks {
		c := &f.Chunks[i]
		b = binary.AppendUvarint(b, uint64(c.Span.Start-next))
		b = binary.AppendUvarint(b, uint64(c.Span.End-c.Span.Start))
		next = c.Span.End + 1
		for _, n := range c.Lens {
			b = binary.AppendUvarint(b, uint64(n))
		}
		b = binary.AppendUvarint(b, uint64(len(c.Names)))
		for _, n := range c.Names {
			b = appendID(b, n.ID)
		}
		b = binary.AppendUvarint(b, uint64(len(c.Symbols)))
		for k := range c.Symbols {
			s := &c.Symbols[k]
			b = append(b, byte(max(slices.Index(kindCodes, s.Kind), 0)))
			b = binary.AppendUvarint(b, uint64(max(s.Line-c.Span.Start, 0)))
			b = binary.AppendUvarint(b, uint64(max(s.End-s.Line, 0)))
			b = binary.AppendUvarint(b, uint64(max(s.Indent, 0)))
			b = appendString(appendString(b, s.Name), s.Parent)
		}
	}
	return b
}

func appendID(b []byte, id TermID) []byte {
	return append(b, byte(id), byte(id>>8), byte(id>>16), byte(id>>24), byte(id>>32))
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendPosting(b []byte, step int, tf *[NumFields]uint16) []byte {
	if *tf == [NumFields]uint16{Body: 1} {
		return binary.AppendUvarint(b, uint64(step)<<1)
	}
	b = binary.AppendUvarint(b, uint64(step)<<1|1)
	var mask byte
	for f, n := range tf {
		if n > 0 {
			mask |= 1 << f
		}
	}
	b = append(b, mask)
	for _, n := range tf {
		if n > 0 {
			b = binary.AppendUvarint(b, uint64(n))
		}
	}
	return b
}
