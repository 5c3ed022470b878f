package code

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Features is what the index keeps of a file for the ranker: everything but its text. It is stored as a blob, the same
// bytes on every backing.
//
// Layout, version 1, all numbers unsigned varints unless said: version byte; number of chunks; number of terms; the
// terms' ids in ascending order, 5 bytes each, little-endian; then for each chunk: first line minus the line after the
// chunk before, lines minus 1, one length a field, number of postings, for each of them the step in the term list times 2
// (plus 1 if it is not just one occurrence in Body, then a mask of the fields that hold it and a count for each), number
// of look-up names and their ids (5 bytes), number of symbols, for each a kind byte, line minus the chunk's first, lines
// minus 1, indent, name, parent (length and bytes).
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

const featuresVersion = 1

var kindCodes = []Kind{KindType, KindModule, KindFunc, KindValue, KindImpl, KindDecl, KindSection} // stored: append only

// EncodeFeatures writes the features of an analyzed file.
func EncodeFeatures(f *File) []byte {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	e.number(f)
	b := make([]byte, 0, 64+len(e.ids)*5+e.postings*3/2)
	b = append(b, featuresVersion)
	b = binary.AppendUvarint(b, uint64(len(f.Chunks)))
	b = binary.AppendUvarint(b, uint64(len(e.ids)))
	for _, id := range e.ids {
		b = appendID(b, id)
	}
	next := 1
	for i := range f.Chunks {
		c := &f.Chunks[i]
		b = binary.AppendUvarint(b, uint64(c.Span.Start-next))
		b = binary.AppendUvarint(b, uint64(c.Span.End-c.Span.Start))
		next = c.Span.End + 1
		for _, n := range c.Lens {
			b = binary.AppendUvarint(b, uint64(n))
		}
		b = e.appendPostings(b, c.Terms)
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

// ErrFeatures is returned for a blob that EncodeFeatures did not write.
var ErrFeatures = errors.New("damaged feature blob")

// DecodeFeatures reads all features of a file.
func DecodeFeatures(blob []byte) (*Features, error) { return decodeFeatures(blob, nil, true) }

// LookupFeatures reads the features of a file with the postings of the wanted terms only: Features.Terms is want, and a
// Posting's Term an index into it.
func LookupFeatures(blob []byte, want []TermID) (*Features, error) {
	return decodeFeatures(blob, want, false)
}

func decodeFeatures(blob []byte, want []TermID, all bool) (*Features, error) {
	r := blobReader{b: blob}
	if v := r.byte(); r.bad || v != featuresVersion {
		return nil, fmt.Errorf("%w: version %d, want %d", ErrFeatures, v, featuresVersion)
	}
	chunks, terms := r.count(len(blob)), r.count(len(blob)/5)
	ids := r.take(terms * 5)
	if r.bad {
		return nil, fmt.Errorf("%w: %d bytes are too few for its terms", ErrFeatures, len(blob))
	}
	f := &Features{Terms: want, Chunks: make([]ChunkFeatures, 0, min(chunks, 1024))}
	var ords []int // of the wanted terms in the file's list; -1: not there
	if all {
		f.Terms = make([]TermID, terms)
		for i := range f.Terms {
			f.Terms[i] = idAt(ids, i)
		}
	} else {
		ords = make([]int, len(want))
		for i, w := range want {
			ords[i] = findID(ids, terms, w)
		}
	}
	next := 1
	for range chunks {
		var c ChunkFeatures
		c.Span.Start = next + r.count(1<<31)
		c.Span.End = c.Span.Start + r.count(1<<31)
		next = c.Span.End + 1
		for k := range c.Lens {
			c.Lens[k] = r.count(1 << 31)
		}
		n := r.count(terms)
		if all {
			c.Postings = make([]Posting, 0, n)
		}
		ord := 0
		for range n {
			if r.bad {
				break
			}
			step := r.uvarint()
			ord += int(step >> 1)
			tf := [NumFields]uint16{Body: 1}
			if step&1 != 0 {
				tf = [NumFields]uint16{}
				mask := r.byte()
				for k := range tf {
					if mask&(1<<k) != 0 {
						tf[k] = uint16(r.uvarint())
					}
				}
			}
			if ord < 0 || ord >= terms {
				r.bad = true
				break
			}
			if all {
				c.Postings = append(c.Postings, Posting{ord, tf})
				continue
			}
			for i, o := range ords {
				if o == ord {
					c.Postings = append(c.Postings, Posting{i, tf})
				}
			}
		}
		names := r.take(5 * r.count(len(blob)/5))
		if all {
			for i := range len(names) / 5 {
				c.Names = append(c.Names, idAt(names, i))
			}
		}
		for range r.count(len(blob)) {
			var s Symbol
			if k := int(r.byte()); k < len(kindCodes) {
				s.Kind = kindCodes[k]
			}
			s.Line = c.Span.Start + r.count(1<<31)
			s.End = s.Line + r.count(1<<31)
			s.Indent = r.count(1 << 31)
			s.Name, s.Parent = r.string(), r.string()
			if r.bad {
				break
			}
			c.Symbols = append(c.Symbols, s)
		}
		if r.bad {
			return nil, fmt.Errorf("%w: it ends inside chunk %d of %d", ErrFeatures, len(f.Chunks)+1, chunks)
		}
		f.Chunks = append(f.Chunks, c)
	}
	return f, nil
}

func idAt(ids []byte, i int) TermID {
	p := ids[i*5 : i*5+5]
	return TermID(p[0]) | TermID(p[1])<<8 | TermID(p[2])<<16 | TermID(p[3])<<24 | TermID(p[4])<<32
}

func findID(ids []byte, n int, want TermID) int {
	lo, hi := 0, n
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if idAt(ids, mid) < want {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < n && idAt(ids, lo) == want {
		return lo
	}
	return -1
}

// blobReader reads a blob; after the first fault bad is set and every read gives zero.
type blobReader struct {
	b   []byte
	bad bool
}

func (r *blobReader) byte() byte {
	if len(r.b) == 0 {
		r.bad = true
		return 0
	}
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

func (r *blobReader) uvarint() uint64 {
	if len(r.b) > 0 && r.b[0] < 0x80 { // most are one byte
		v := r.b[0]
		r.b = r.b[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.bad = true
		r.b = nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

// count reads a number that may not exceed limit.
func (r *blobReader) count(limit int) int {
	v := r.uvarint()
	if v > uint64(limit) {
		r.bad = true
		return 0
	}
	return int(v)
}

func (r *blobReader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.bad = true
		return nil
	}
	p := r.b[:n]
	r.b = r.b[n:]
	return p
}

func (r *blobReader) string() string { return string(r.take(r.count(len(r.b)))) }
