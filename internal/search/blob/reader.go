package blob

import "encoding/binary"

// blobReader reads a blob; after the first fault bad is set and every read gives zero.
type blobReader struct {
	b   string
	at  int
	bad bool
}

// left is the number of bytes not read yet.
func (r *blobReader) left() int { return len(r.b) - r.at }

func (r *blobReader) fail() {
	r.bad, r.at = true, len(r.b)
}

func (r *blobReader) byte() byte {
	if r.at >= len(r.b) {
		r.fail()
		return 0
	}
	r.at++
	return r.b[r.at-1]
}

func (r *blobReader) uvarint() uint64 {
	if r.at < len(r.b) && r.b[r.at] < 0x80 { // most are one byte
		r.at++
		return uint64(r.b[r.at-1])
	}
	if r.left() > 1 && r.b[r.at+1] < 0x80 {
		r.at += 2
		return uint64(r.b[r.at-2]&0x7f) | uint64(r.b[r.at-1])<<7
	}
	v, n := binary.Uvarint([]byte(r.b[r.at:min(len(r.b), r.at+binary.MaxVarintLen64)]))
	if n <= 0 {
		r.fail()
		return 0
	}
	r.at += n
	return v
}

// count reads a number that may not exceed limit.
func (r *blobReader) count(limit int) int {
	v := r.uvarint()
	if v > uint64(limit) {
		r.fail()
		return 0
	}
	return int(v)
}

func (r *blobReader) take(n int) string {
	if n < 0 || n > r.left() {
		r.fail()
		return ""
	}
	r.at += n
	return r.b[r.at-n : r.at]
}
