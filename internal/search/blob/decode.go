package blob

import (
	"errors"
	"fmt"

	"github.com/contextd/contextd/internal/code"
)

// ErrFeatures is returned for a blob that EncodeFeatures did not write.
var ErrFeatures = errors.New("damaged feature blob")

// The least number of bytes that a chunk takes (its span, its lengths, and a count), and a symbol.
const (
	minChunk  = 3 + int(code.NumFields)
	minSymbol = 4
)

// blobHead is the beginning of a blob.
type blobHead struct {
	chunks, symbols, terms int
	umbrella               bool
	shelf
}

// head reads the beginning of a blob; the directory comes next.
func (r *blobReader) head() (h blobHead) {
	if v := r.byte(); r.bad || v != featuresVersion {
		r.fail()
		return h
	}
	n := r.count(2*(len(r.b)/minChunk) + 1)
	h.chunks, h.umbrella = n/2, n%2 != 0
	h.symbols = r.count(len(r.b) / minSymbol)
	h.terms = r.count(len(r.b)) // a posting each at least
	h.shelf = shelfOf(h.terms)
	return h
}

// lows takes the ids, which come after the directory.
func (r *blobReader) lows(h *blobHead) lows {
	l := lows{b: r.b, at: r.at, width: h.width}
	r.take(h.size(h.terms))
	return l
}

// index reads what stands between the head and the postings: the directory of the buckets, to be read by itself, and
// the ids.
func (r *blobReader) index(h *blobHead) (directory blobReader, low lows) {
	directory = *r
	for range h.buckets {
		r.uvarint()
		r.uvarint()
	}
	return directory, r.lows(h)
}

// DecodeFeatures reads all features of a file.
func DecodeFeatures[Blob string | []byte](blob Blob) (*Features, error) {
	text := string(blob)
	ids, err := termIDs(text)
	if err != nil {
		return nil, err
	}
	return NewLookup(ids).Read(text)
}

// LookupFeatures reads the features of a file with the postings of the wanted terms only: Features.Terms is want, and a
// Posting's Term an index into it.
func LookupFeatures[Blob string | []byte](blob Blob, want []code.TermID) (*Features, error) {
	return NewLookup(want).Read(string(blob))
}

// termIDs are the ids of a file's terms.
func termIDs(blob string) ([]code.TermID, error) {
	r := blobReader{b: blob}
	h := r.head()
	if directory, low := r.index(&h); !r.bad {
		ids := make([]code.TermID, 0, h.terms)
		for bucket := range h.buckets {
			for range min(directory.count(h.terms), h.terms-len(ids)) {
				ids = append(ids, code.TermID(bucket)<<h.width|code.TermID(low.get(len(ids))))
			}
			directory.uvarint()
		}
		if len(ids) == h.terms {
			return ids, nil
		}
	}
	return nil, damaged(blob, "%d bytes are too few for its terms", len(blob))
}

// damaged is the error of a blob that ends or lies at a place.
func damaged(blob string, format string, args ...any) error {
	if len(blob) == 0 || blob[0] != featuresVersion {
		return fmt.Errorf("%w: want version %d", ErrFeatures, featuresVersion)
	}
	return fmt.Errorf("%w: "+format, append([]any{ErrFeatures}, args...)...)
}
