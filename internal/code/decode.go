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
func DecodeFeatures[Blob string | []byte](blob Blob) (*Features, error) {
	text := string(blob)
	r := blobReader{b: text}
	_, ids := r.head()
	want := make([]TermID, len(ids)/5)
	for i := range want {
		want[i] = idAt(ids, i)
	}
	l := NewLookup(want)
	l.names = true
	return l.Read(text)
}

// LookupFeatures reads the features of a file with the postings of the wanted terms only: Features.Terms is want, a
// Posting's Term an index into it, and Names are left out.
func LookupFeatures[Blob string | []byte](blob Blob, want []TermID) (*Features, error) {
	return NewLookup(want).Read(string(blob))
}

// head reads the beginning of a blob: the number of its chunks, and the ids of its terms.
func (r *blobReader) head() (chunks int, ids string) {
	if v := r.byte(); r.bad || v != featuresVersion {
		r.fail()
		return 0, ""
	}
	chunks = r.count(len(r.b) / minChunk)
	return chunks, r.take(5 * r.count(len(r.b)/5))
}

// damaged is the error of a blob that ends or lies at a place.
func damaged(blob string, format string, args ...any) error {
	if len(blob) == 0 || blob[0] != featuresVersion {
		return fmt.Errorf("%w: want version %d", ErrFeatures, featuresVersion)
	}
	return fmt.Errorf("%w: "+format, append([]any{ErrFeatures}, args...)...)
}

// idAt is the i-th of ids, which take 5 bytes each.
func idAt(ids string, i int) TermID {
	p := ids[i*5 : i*5+5]
	return TermID(p[0]) | TermID(p[1])<<8 | TermID(p[2])<<16 | TermID(p[3])<<24 | TermID(p[4])<<32
}

// findID is the place of an id among ids, or -1.
func findID(ids string, want TermID) int {
	lo, n := 0, len(ids)/5
	for hi := n; lo < hi; {
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
