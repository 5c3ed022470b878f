package local

import "encoding/binary"

// postings goes through encoded postings, many at a time: next fills chunk and count with n of them.
type postings struct {
	list   []byte
	chunks uint32 // a posting of a chunk that is not below it is the end
	at     uint64
	n      int
	chunk  [128]uint32
	count  [128]uint32
}

// next reports whether there were more.
func (p *postings) next() bool {
	list, at := p.list, p.at
	for p.n = 0; p.n < len(p.chunk); p.n++ {
		step, count, n := uint32(0), uint32(1), 1
		if len(list) > 0 && list[0] < 0x80 && list[0]&1 == 0 { // most of them
			step = uint32(list[0] >> 1)
		} else if step, count, n = nextPosting(list); n == 0 {
			list = nil
			break
		}
		if at += uint64(step); at >= uint64(p.chunks) {
			list = nil
			break
		}
		list = list[n:]
		p.chunk[p.n], p.count[p.n] = uint32(at), count
	}
	p.list, p.at = list, at
	return p.n > 0
}

// nextPosting reads a posting from b: the step from the chunk before, the count, and the bytes taken, 0 at the end.
func nextPosting(b []byte) (step uint32, tf uint32, n int) {
	var v uint64
	if len(b) > 0 && b[0] < 0x80 {
		v, n = uint64(b[0]), 1
	} else if v, n = binary.Uvarint(b); n <= 0 || v > 1<<32 {
		return 0, 0, 0
	}
	if v&1 == 0 {
		return uint32(v >> 1), 1, n
	}
	if n < len(b) && b[n] < 0x80 {
		return uint32(v >> 1), uint32(b[n]), n + 1
	}
	t, m := binary.Uvarint(b[n:])
	if m <= 0 || t > 1<<24 {
		return 0, 0, 0
	}
	return uint32(v >> 1), uint32(t), n + m
}

func appendPosting(b []byte, step, tf uint32) []byte {
	if tf == 1 {
		return binary.AppendUvarint(b, uint64(step)<<1)
	}
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(step)<<1|1), uint64(tf))
}
