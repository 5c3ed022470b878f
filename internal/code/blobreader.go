package code

import "encoding/binary"

// blobReader reads a blob; after the first fault bad is set and every read gives zero.
type blobReader struct {
	b   string
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
	v, n := binary.Uvarint([]byte(r.b[:min(len(r.b), binary.MaxVarintLen64)]))
	if n <= 0 {
		r.bad = true
		r.b = ""
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

func (r *blobReader) take(n int) string {
	if n < 0 || n > len(r.b) {
		r.bad = true
		return ""
	}
	p := r.b[:n]
	r.b = r.b[n:]
	return p
}

func (r *blobReader) string() string { return r.take(r.count(len(r.b))) }
