package code

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"sync"
)

var encoders = sync.Pool{New: func() any { return new(encoder) }}

// encoder numbers the terms of a file in the order of their ids. A hash table finds a term's number and a set of bits
// puts a chunk's terms in order, so that only the file's distinct ids are sorted.
type encoder struct {
	ids      []TermID // distinct, ascending
	postings int      // of all chunks
	keys     []TermID // open addressing; a power of two long
	ords     []int32  // beside keys: 0 for a free place, else the number plus 1
	set      []uint64 // the numbers of a chunk's terms
	at       []int32  // by number: the term's place in the chunk
}

// number collects and numbers the terms of f.
func (e *encoder) number(f *File) {
	e.postings = 0
	for i := range f.Chunks {
		e.postings += len(f.Chunks[i].Terms)
	}
	size := 1 << bits.Len(uint(2*e.postings+1))
	e.keys = slices.Grow(e.keys[:0], size)[:size]
	e.ords = slices.Grow(e.ords[:0], size)[:size]
	clear(e.ords)
	e.ids = e.ids[:0]
	for i := range f.Chunks {
		for k := range f.Chunks[i].Terms {
			id := f.Chunks[i].Terms[k].Term.ID
			if p := e.place(id); e.ords[p] == 0 {
				e.keys[p], e.ords[p] = id, 1
				e.ids = append(e.ids, id)
			}
		}
	}
	slices.Sort(e.ids)
	for n, id := range e.ids {
		e.ords[e.place(id)] = int32(n) + 1
	}
	words := (len(e.ids) + 63) / 64
	e.set = slices.Grow(e.set[:0], words)[:words]
	clear(e.set)
	e.at = slices.Grow(e.at[:0], len(e.ids))[:len(e.ids)]
}

// place is where id stands in the table, or the free place where it would. Ids are hashes: their low bits serve.
func (e *encoder) place(id TermID) int {
	mask := len(e.keys) - 1
	p := int(id) & mask
	for e.ords[p] != 0 && e.keys[p] != id {
		p = (p + 1) & mask
	}
	return p
}

// appendPostings writes the postings of one chunk.
func (e *encoder) appendPostings(b []byte, terms []TermFreq) []byte {
	b = binary.AppendUvarint(b, uint64(len(terms)))
	for k := range terms {
		n := e.ords[e.place(terms[k].Term.ID)] - 1
		e.set[n/64] |= 1 << (n % 64)
		e.at[n] = int32(k)
	}
	last := 0
	for w := range e.set {
		for x := e.set[w]; x != 0; x &= x - 1 {
			n := w*64 + bits.TrailingZeros64(x)
			b = appendPosting(b, n-last, &terms[e.at[n]].TF)
			last = n
		}
		e.set[w] = 0
	}
	return b
}
