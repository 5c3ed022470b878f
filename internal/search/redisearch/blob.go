package redisearch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/search/blob"
)

// A file's blob: length of its features and these (blob.EncodeFeatures), number of dimensions (0: no vectors), then for
// each chunk the scale (32-bit float, little-endian) and the numbers of its quantised vector, a byte each.

func encodeBlob(f *code.File, vectors [][]float32, dims int) []byte {
	features := blob.EncodeFeatures(f)
	b := make([]byte, 0, len(features)+10+len(vectors)*(4+dims))
	b = binary.AppendUvarint(b, uint64(len(features)))
	b = append(b, features...)
	b = binary.AppendUvarint(b, uint64(dims))
	q := make([]int8, dims)
	for _, v := range vectors {
		scale, q := search.QuantizeInto(q, v)
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(scale))
		for _, x := range q {
			b = append(b, byte(x))
		}
	}
	return b
}

var errBlob = errors.New("damaged feature blob")

// decodeBlob returns the features and the cosine of each of n chunks with query; none where the blob has no vectors or
// query is of another length.
func decodeBlob(blob string, n int, query []float32) (features string, cosines []float32, err error) {
	r := reader{b: blob}
	features = r.text()
	dims := r.count()
	if r.bad || dims > len(r.b) {
		return "", nil, errBlob
	}
	if dims == 0 || len(query) != dims {
		return features, nil, nil
	}
	if len(r.b) != n*(4+dims) {
		return "", nil, fmt.Errorf("%w: %d bytes of vectors for %d chunks of %d dimensions", errBlob, len(r.b), n, dims)
	}
	cosines = make([]float32, n)
	q := make([]int8, dims)
	for i := range cosines {
		head := r.take(4)
		scale := math.Float32frombits(uint32(head[0]) | uint32(head[1])<<8 | uint32(head[2])<<16 | uint32(head[3])<<24)
		for k, c := range []byte(r.take(dims)) {
			q[k] = int8(c)
		}
		cosines[i] = search.Cosine(q, scale, query)
	}
	return features, cosines, nil
}
