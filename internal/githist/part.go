package githist

import (
	"encoding/binary"

	"github.com/contextd/contextd/internal/code"
)

// Part is a blob of notes, ready to be searched. It is immutable.
type Part struct {
	Head                string // the commit that it was read to; "" for notes that are no commits
	notes, terms, paths int
	length              int
	sec                 [numSections][]byte
}

// Open reads a blob. The bytes must not change while the Part is in use.
func Open(blob []byte) (*Part, error) {
	if len(blob) < headerSize || string(blob[:8]) != magic || le.Uint32(blob[8:]) != version {
		return nil, ErrBlob
	}
	if sumOf(blob) != le.Uint32(blob[headerSize-4:]) {
		return nil, ErrBlob
	}
	p := &Part{notes: int(le.Uint32(blob[12:])), terms: int(le.Uint32(blob[16:])), paths: int(le.Uint32(blob[20:])),
		length: int(le.Uint64(blob[24:]))}
	for i := range p.sec {
		from, to := le.Uint32(blob[32+4*i:]), le.Uint32(blob[36+4*i:])
		if from > to || uint64(to) > uint64(len(blob)) {
			return nil, ErrBlob
		}
		p.sec[i] = blob[from:to]
	}
	if len(p.sec[secNotes]) != p.notes*noteRow || len(p.sec[secTerms]) != p.terms*termRow ||
		len(p.sec[secPaths]) < 4*(p.paths+1) || p.notes > MaxNotes {
		return nil, ErrBlob
	}
	p.Head = string(p.sec[secHead])
	return p, nil
}

// Notes is the number of notes.
func (p *Part) Notes() int { return p.notes }

// path is the path of a number; "" for one that is out of range.
func (p *Part) path(n uint64) code.Path {
	if n >= uint64(p.paths) {
		return ""
	}
	s := p.sec[secPaths]
	from, to := le.Uint32(s[4*n:]), le.Uint32(s[4*n+4:])
	if from > to || int(to) > len(s) {
		return ""
	}
	return code.Path(s[from:to])
}

// files calls visit with the number of each path that a note changed, and returns how many there are.
func (p *Part) files(note int, visit func(path uint64)) int {
	list := p.sec[secFiles][min(int(le.Uint32(p.sec[secNotes][note*noteRow+12:])), len(p.sec[secFiles])):]
	n, k := binary.Uvarint(list)
	if k <= 0 || n > maxFiles {
		return 0
	}
	for range n {
		list = list[k:]
		var id uint64
		if id, k = binary.Uvarint(list); k <= 0 {
			return 0
		}
		visit(id)
	}
	return int(n)
}

// lengthOf is the length of a note in words.
func (p *Part) lengthOf(note int) int { return int(le.Uint32(p.sec[secNotes][note*noteRow+8:])) }

// list is the postings of a term behind their number.
func (p *Part) list(term int) (n int, list []byte) {
	list = p.sec[secPostings][min(int(le.Uint32(p.sec[secTerms][term*termRow+8:])), len(p.sec[secPostings])):]
	number, k := binary.Uvarint(list)
	if k <= 0 || number > uint64(p.notes) {
		return 0, nil
	}
	return int(number), list[k:]
}

// documentFrequency returns the number of notes that hold a term.
func (p *Part) documentFrequency(term int) int {
	n, _ := p.list(term)
	return n
}

// postings calls visit with each note that holds a term.
func (p *Part) postings(term int, visit func(note, count int)) {
	n, list := p.list(term)
	note := uint64(0)
	for range n {
		step, a := binary.Uvarint(list)
		if a <= 0 {
			return
		}
		c, b := binary.Uvarint(list[a:])
		if note += step; b <= 0 || note >= uint64(p.notes) {
			return
		}
		list = list[a+b:]
		visit(int(note), int(c))
	}
}

// find is the place of a term; -1: no note holds it.
func (p *Part) find(id code.TermID) int {
	lo, hi := 0, p.terms
	for lo < hi {
		mid := (lo + hi) / 2
		if x := code.TermID(le.Uint64(p.sec[secTerms][mid*termRow:])); x < id {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == p.terms || code.TermID(le.Uint64(p.sec[secTerms][lo*termRow:])) != id {
		return -1
	}
	return lo
}

// decodeNotes decodes all notes of p, for an update.
func (p *Part) decodeNotes() []tokenizedNote {
	out := make([]tokenizedNote, p.notes)
	for i := range out {
		c := &out[i]
		c.time, c.length = int64(le.Uint64(p.sec[secNotes][i*noteRow:])), p.lengthOf(i)
		p.files(i, func(id uint64) { c.files = append(c.files, p.path(id)) })
	}
	for t := range p.terms {
		id := code.TermID(le.Uint64(p.sec[secTerms][t*termRow:]))
		p.postings(t, func(note, n int) { out[note].terms = append(out[note].terms, count{id, n}) })
	}
	return out
}
