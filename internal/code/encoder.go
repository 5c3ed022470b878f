package code

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"sync"
)

var encoders = sync.Pool{New: func() any { return new(encoder) }}

// encoder turns the words of a file's chunks round: from the terms of each chunk to the chunks of each term. A hash table
// finds a term's number, and a counting sort puts the postings in order, so that only the file's distinct ids are
// compared with each other.
type encoder struct {
	ids   []TermID  // distinct, ascending
	keys  []TermID  // open addressing; a power of two long
	ords  []int32   // beside keys: 0 for a free place, else the term's number plus 1
	next  []int32   // by term: where its next posting goes
	list  []located // all postings, by term, then by chunk
	lens  []byte    // encoded length of each term's postings
	bytes []byte    // the encoded postings
}

// located is one posting of a term.
type located struct {
	chunk int32
	tf    *[NumFields]uint16
}

// number collects the terms of f and numbers them in the order of their ids.
func (e *encoder) number(f *File) {
	postings := 0
	for i := range f.Chunks {
		postings += len(f.Chunks[i].Terms)
	}
	size := 1 << bits.Len(uint(2*postings+1))
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
	e.list = slices.Grow(e.list[:0], postings)[:postings]
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

// turn sorts the postings by term and encodes them.
func (e *encoder) turn(f *File) {
	e.next = slices.Grow(e.next[:0], len(e.ids)+1)[:len(e.ids)+1]
	clear(e.next)
	for i := range f.Chunks {
		for k := range f.Chunks[i].Terms {
			e.next[e.ords[e.place(f.Chunks[i].Terms[k].Term.ID)]]++
		}
	}
	for n := range len(e.ids) { // counts, one place up, become starts
		e.next[n+1] += e.next[n]
	}
	for i := range f.Chunks {
		for k := range f.Chunks[i].Terms {
			t := &f.Chunks[i].Terms[k]
			n := e.ords[e.place(t.Term.ID)] - 1
			e.list[e.next[n]] = located{int32(i), &t.TF}
			e.next[n]++
		}
	}
	e.lens, e.bytes = e.lens[:0], e.bytes[:0]
	at := int32(0)
	for n := range e.ids {
		before, last := len(e.bytes), int32(0)
		for ; at < e.next[n]; at++ {
			e.bytes = appendPosting(e.bytes, int(e.list[at].chunk-last), e.list[at].tf)
			last = e.list[at].chunk
		}
		e.lens = binary.AppendUvarint(e.lens, uint64(len(e.bytes)-before))
	}
	clear(e.list) // the pool shall not keep the file alive
}
