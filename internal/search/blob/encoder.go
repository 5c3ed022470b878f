package blob

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/contextd/contextd/internal/code"
)

var encoders = sync.Pool{New: func() any { return new(encoder) }}

// encoder turns the words of a file's chunks round: from the terms of each chunk to the chunks of each term. A hash
// table finds a term's number, and a counting sort puts the postings in order, so that only the file's distinct ids are
// compared with each other.
type encoder struct {
	ids       []code.TermID // distinct, ascending
	dealt     []code.TermID // room to sort them
	keys      []code.TermID // open addressing; a power of two long
	ords      []int32       // beside keys: 0 for a free place, else the term's number plus 1
	next      []int32       // by term: where its next posting goes; by bucket, its next id
	list      []located     // all postings, by term, then by chunk
	directory []byte
	postings  []byte
	symbols   symbolWriter
}

// located is one posting of a term.
type located struct {
	chunk int32
	tf    *[code.NumFields]uint16
}

// release gives the encoder back to the pool, which shall not keep the file alive.
func (e *encoder) release() {
	clear(e.list)
	e.symbols.reset()
	encoders.Put(e)
}

// number collects the terms of f and numbers them in the order of their ids.
func (e *encoder) number(f *code.File) {
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
	e.sort()
	for n, id := range e.ids {
		e.ords[e.place(id)] = int32(n) + 1
	}
	e.list = slices.Grow(e.list[:0], postings)[:postings]
}

// sort puts the ids in order: into buckets first, which leaves little to compare.
func (e *encoder) sort() {
	s := shelfOf(len(e.ids))
	e.next = slices.Grow(e.next[:0], s.buckets+1)[:s.buckets+1]
	clear(e.next)
	for _, id := range e.ids {
		e.next[s.bucket(id)+1]++
	}
	for b := range s.buckets {
		e.next[b+1] += e.next[b]
	}
	e.dealt = slices.Grow(e.dealt[:0], len(e.ids))[:len(e.ids)]
	for _, id := range e.ids {
		b := s.bucket(id)
		e.dealt[e.next[b]] = id
		e.next[b]++
	}
	e.ids, e.dealt = e.dealt, e.ids
	from := int32(0)
	for b := range s.buckets {
		slices.Sort(e.ids[from:e.next[b]])
		from = e.next[b]
	}
}

// place is where id stands in the table, or the free place where it would. Ids are hashes: their low bits serve.
func (e *encoder) place(id code.TermID) int {
	mask := len(e.keys) - 1
	p := int(id) & mask
	for e.ords[p] != 0 && e.keys[p] != id {
		p = (p + 1) & mask
	}
	return p
}

// turn sorts the postings by term. Afterwards those of term n end at next[n].
func (e *encoder) turn(f *code.File) {
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
}

// write encodes the directory and the postings.
func (e *encoder) write(s shelf) {
	e.directory, e.postings = e.directory[:0], e.postings[:0]
	term, at := 0, int32(0)
	for bucket := range s.buckets {
		first, before := term, len(e.postings)
		for ; term < len(e.ids) && s.bucket(e.ids[term]) == bucket; term++ {
			for next := int32(0); at < e.next[term]; at++ {
				chunk, tf := e.list[at].chunk, e.list[at].tf
				for ; at+1 < e.next[term] && e.list[at+1].chunk == chunk; at++ {
					tf = sum(tf, e.list[at+1].tf)
				}
				e.postings = appendPosting(e.postings, int(chunk-next), tf, at+1 == e.next[term])
				next = chunk + 1
			}
		}
		e.directory = binary.AppendUvarint(e.directory, uint64(term-first))
		e.directory = binary.AppendUvarint(e.directory, uint64(len(e.postings)-before))
	}
}

// sum adds counts up.
func sum(a, b *[code.NumFields]uint16) *[code.NumFields]uint16 {
	var all [code.NumFields]uint16
	for f := range all {
		all[f] = uint16(min(int(a[f])+int(b[f]), math.MaxUint16))
	}
	return &all
}
