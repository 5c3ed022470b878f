package blob

import (
	"encoding/binary"

	"github.com/contextd/contextd/internal/code"
)

// Features is what the index keeps of a file for the ranker: everything but its text. It is stored as a blob, the same
// bytes on every backing.
//
// Layout, version 4, all numbers unsigned varints unless said:
//
//	head       version byte; twice the number of chunks, plus 1 for an umbrella; number of symbols, of terms
//	directory  for each bucket of terms (see shelf) their number and the length in bytes of their postings
//	ids        the terms' ids in ascending order, without the bits that name their bucket, one after the other, the lowest
//	           bit first, up to the end of a byte
//	postings   those of each term, in order of chunks (see postingCode)
//	chunks     for each chunk: first line minus the line after the chunk before, lines minus 1, one length a field, number
//	           of symbols and these (see symbolWriter)
//
// Postings stand by term because a question asks for few of a file's terms: it opens their buckets only. Look-up names
// are not kept: nobody scores by them.
//
// Version 3 did not tell umbrellas. Versions 1 and 2 had whole ids and the length of every term's postings; they took
// half as much again.
type Features struct {
	Terms  []code.TermID // distinct terms of the file, ascending; for a Lookup the wanted ones, in the order given
	Chunks []ChunkFeatures

	Umbrella bool // the file does nothing but include or re-export others: what it names is elsewhere
}

// ChunkFeatures are the features of one chunk.
type ChunkFeatures struct {
	Span     code.Span
	Lens     [code.NumFields]int
	Postings []Posting
	Symbols  []code.Symbol
}

// Posting says how often each field of a chunk holds a term.
type Posting struct {
	Term int // index into Features.Terms
	TF   [code.NumFields]uint16
}

const featuresVersion = 4

// EncodeFeatures writes the features of an analyzed file. Terms of a chunk that share an id become one.
func EncodeFeatures(f *code.File) []byte {
	e := encoders.Get().(*encoder)
	defer e.release()
	e.number(f)
	e.turn(f)
	s := shelfOf(len(e.ids))
	e.write(s)
	symbols, size := 0, 0
	for i := range f.Chunks {
		symbols += len(f.Chunks[i].Symbols)
		for k := range f.Chunks[i].Symbols {
			size += 6 + len(f.Chunks[i].Symbols[k].Name)
		}
	}
	b := make([]byte, 0, 16+len(e.directory)+s.size(len(e.ids))+len(e.postings)+12*len(f.Chunks)+size)
	b = append(b, featuresVersion)
	chunks := 2 * len(f.Chunks)
	if f.Umbrella {
		chunks++
	}
	for _, n := range [...]int{chunks, symbols, len(e.ids)} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	b = append(b, e.directory...)
	b = s.appendLows(b, e.ids)
	b = append(b, e.postings...)
	next := 1
	for i := range f.Chunks {
		c := &f.Chunks[i]
		b = binary.AppendUvarint(b, uint64(c.Span.Start-next))
		b = binary.AppendUvarint(b, uint64(c.Span.End-c.Span.Start))
		next = c.Span.End + 1
		for _, n := range c.Lens {
			b = binary.AppendUvarint(b, uint64(n))
		}
		b = binary.AppendUvarint(b, uint64(len(c.Symbols)))
		for k := range c.Symbols {
			b = e.symbols.append(b, &c.Symbols[k], c.Span.Start)
		}
	}
	return b
}
