package blob

import (
	"encoding/binary"
	"math"

	"github.com/contextd/contextd/internal/code"
)

// postingCode is what the first byte of a posting says beside its bit 0, which marks the term's last posting. The bytes
// are dealt to the forms in order: two for each gap from 0 to the form's greatest.
//
// Where it is the greatest, how much greater the gap really is follows (varint). Where counts follow: a byte with a bit
// for each field that holds the term and, in its upper half, the count of the first of them or 15; then how much more
// than 15 that is, if it is 15, and the counts of the other fields (varints).
type postingCode struct {
	tf   [code.NumFields]uint16
	gap  uint8
	more uint8 // what follows
}

const (
	moreGap    = 1
	moreCounts = 2
	firstCount = 15
)

const _ = uint(4 - code.NumFields) // fields are four bits

// appendPosting writes a posting.
func appendPosting(b []byte, gap int, tf *[code.NumFields]uint16, last bool) []byte {
	form := len(forms) - 1
	if k, ok := formKey(tf); ok {
		form = int(formOf[k])
	}
	most := forms[form].gap
	code := formCodes[form] + uint8(2*min(gap, most))
	if last {
		code |= 1
	}
	b = append(b, code)
	if gap >= most {
		b = binary.AppendUvarint(b, uint64(gap-most))
	}
	if form < len(forms)-1 {
		return b
	}
	at, first := len(b), true
	b = append(b, 0)
	for f, n := range tf {
		if n == 0 {
			continue
		}
		b[at] |= 1 << f
		if !first {
			b = binary.AppendUvarint(b, uint64(n))
			continue
		}
		first = false
		b[at] |= byte(min(n, firstCount)) << 4
		if n >= firstCount {
			b = binary.AppendUvarint(b, uint64(n-firstCount))
		}
	}
	return b
}

// gap reads how much greater a gap is than the first byte of its posting says.
func (r *blobReader) gap() int { return r.count(math.MaxInt32) }

// counts reads counts that follow.
func (r *blobReader) counts(tf *[code.NumFields]uint16) {
	mask := r.byte()
	first := true
	for f := range tf {
		if mask&(1<<f) == 0 {
			continue
		}
		if !first {
			tf[f] = uint16(r.count(math.MaxUint16))
			continue
		}
		first = false
		tf[f] = uint16(mask >> 4)
		if tf[f] == firstCount {
			tf[f] += uint16(r.count(math.MaxUint16 - firstCount))
		}
	}
}

// stepOver reads the postings of n terms and keeps nothing.
func (r *blobReader) stepOver(n int) {
	at := r.at
	for n > 0 {
		if at >= len(r.b) {
			r.fail()
			return
		}
		c := r.b[at]
		at++
		n -= int(c & 1)
		if more := postingCodes[c].more; more != 0 {
			r.at = at
			r.stepMore(more)
			at = r.at
		}
	}
	r.at = at
}

func (r *blobReader) stepMore(more uint8) {
	if more&moreGap != 0 {
		r.gap()
	}
	if more&moreCounts != 0 {
		var tf [code.NumFields]uint16
		r.counts(&tf)
	}
}
