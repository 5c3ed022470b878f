package code

import (
	"errors"
	"fmt"
)

// ErrFeatures is returned for a blob that EncodeFeatures did not write.
var ErrFeatures = errors.New("damaged feature blob")

// minChunk is the least number of bytes that a chunk takes: its span, its lengths, and two counts.
const minChunk = 4 + int(NumFields)

// DecodeFeatures reads all features of a file.
func DecodeFeatures(blob []byte) (*Features, error) { return decodeFeatures(blob, nil, true) }

// LookupFeatures reads the features of a file with the postings of the wanted terms only: Features.Terms is want, a
// Posting's Term an index into it, and Names are left out.
func LookupFeatures(blob []byte, want []TermID) (*Features, error) {
	return decodeFeatures(blob, want, false)
}

func decodeFeatures(blob []byte, want []TermID, all bool) (*Features, error) {
	// One copy as a string: the names of symbols are parts of it.
	r := blobReader{b: string(blob)}
	if v := r.byte(); r.bad || v != featuresVersion {
		return nil, fmt.Errorf("%w: version %d, want %d", ErrFeatures, v, featuresVersion)
	}
	chunks, terms := r.count(len(blob)/minChunk), r.count(len(blob)/5)
	ids := blob[len(blob)-len(r.b):]
	r.take(terms * 5)
	if r.bad {
		return nil, fmt.Errorf("%w: %d bytes are too few for its terms", ErrFeatures, len(blob))
	}
	ords := make([]int, 0, max(len(want), 8)) // the numbers of the terms to read; -1: the file lacks it
	if all {
		want = make([]TermID, terms)
		for i := range want {
			want[i], ords = idAt(ids, i), append(ords, i)
		}
	} else {
		for _, w := range want {
			ords = append(ords, findID(ids, terms, w))
		}
	}
	f := &Features{Terms: want, Chunks: make([]ChunkFeatures, chunks)}
	r.postings(f, terms, ords)
	next := 1
	for i := range f.Chunks {
		if next = r.chunk(&f.Chunks[i], next, all); r.bad {
			return nil, fmt.Errorf("%w: it ends at chunk %d of %d", ErrFeatures, i+1, chunks)
		}
	}
	return f, nil
}

// postings reads the postings of the terms with the numbers ords into the chunks that hold them.
func (r *blobReader) postings(f *Features, terms int, ords []int) {
	starts := make([]int, terms+1)
	for i := range terms {
		starts[i+1] = starts[i] + r.count(len(r.b))
	}
	all := r.take(starts[terms])
	if r.bad {
		return
	}
	for i, ord := range ords {
		if ord < 0 {
			continue
		}
		p := blobReader{b: all[starts[ord]:starts[ord+1]]}
		chunk := 0
		for len(p.b) > 0 {
			step := p.uvarint()
			chunk += int(step >> 1)
			tf := [NumFields]uint16{Body: 1}
			if step&1 != 0 {
				tf = [NumFields]uint16{}
				mask := p.byte()
				for k := range tf {
					if mask&(1<<k) != 0 {
						tf[k] = uint16(p.uvarint())
					}
				}
			}
			if p.bad || chunk < 0 || chunk >= len(f.Chunks) {
				r.bad = true
				return
			}
			c := &f.Chunks[chunk]
			c.Postings = append(c.Postings, Posting{i, tf})
		}
	}
}

// chunk reads the rest of a chunk that begins at line next or later, and returns the line after it.
func (r *blobReader) chunk(c *ChunkFeatures, next int, names bool) int {
	c.Span.Start = next + r.count(1<<31)
	c.Span.End = c.Span.Start + r.count(1<<31)
	for k := range c.Lens {
		c.Lens[k] = r.count(1 << 31)
	}
	ids := r.take(5 * r.count(len(r.b)/5))
	for i := 0; names && i < len(ids); i += 5 {
		c.Names = append(c.Names, idAt([]byte(ids[i:i+5]), 0))
	}
	symbols := r.count(len(r.b) / 6) // six bytes at least
	if symbols > 0 {
		c.Symbols = make([]Symbol, 0, symbols)
	}
	for range symbols {
		var s Symbol
		if k := int(r.byte()); k < len(kindCodes) {
			s.Kind = kindCodes[k]
		}
		s.Line = c.Span.Start + r.count(1<<31)
		s.End = s.Line + r.count(1<<31)
		s.Indent = r.count(1 << 31)
		s.Name, s.Parent = r.string(), r.string()
		c.Symbols = append(c.Symbols, s)
	}
	return c.Span.End + 1
}

func idAt(ids []byte, i int) TermID {
	p := ids[i*5 : i*5+5]
	return TermID(p[0]) | TermID(p[1])<<8 | TermID(p[2])<<16 | TermID(p[3])<<24 | TermID(p[4])<<32
}

// findID is the place of an id among the first n of ids, or -1.
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
