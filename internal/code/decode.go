package code

import (
	"errors"
	"fmt"
)

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
