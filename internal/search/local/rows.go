package local

import (
	"encoding/binary"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

// encodeRows is the body of CURRENT or of a manifest, with n rows, and how many of its bytes are paths.
func encodeRows(n int, row func(i int) (*search.Entry, loc)) (b []byte, paths int) {
	for i := range n {
		e, _ := row(i)
		paths += len(e.Path)
	}
	b = make([]byte, 0, n*rowSize+paths+1024)
	var strs []string
	index := map[string]uint32{}
	intern := func(s string) uint32 {
		i, ok := index[s]
		if !ok {
			i = uint32(len(strs))
			index[s] = i
			strs = append(strs, s)
		}
		return i
	}
	le := binary.LittleEndian
	for i := range n {
		e, l := row(i)
		b = le.AppendUint32(b, uint32(len(e.Path)))
		for _, n := range [...]uint64{uint64(e.Size), uint64(e.MTime), uint64(e.CTime), e.Inode, uint64(e.SeenAt)} {
			b = le.AppendUint64(b, n)
		}
		b = append(b, e.Hash[:]...)
		b = le.AppendUint32(b, uint32(e.Chunks))
		for _, n := range e.Lens {
			b = le.AppendUint32(b, uint32(n))
		}
		b = le.AppendUint32(b, intern(string(e.Skip)))
		b = le.AppendUint32(b, intern(e.Detail))
		b = le.AppendUint32(b, intern(e.Language))
		b = le.AppendUint32(b, l.seg)
		b = le.AppendUint32(b, l.ord)
	}
	for i := range n {
		e, _ := row(i)
		b = append(b, e.Path...)
	}
	b = binary.AppendUvarint(b, uint64(len(strs)))
	for _, s := range strs {
		b = appendString(b, s)
	}
	return b, paths
}

// parseRows reads n rows with so many bytes of paths from a body: room makes room for them, once the body is long
// enough, entry gives the room of each, and place takes what is left of it.
func parseRows(body []byte, n, pathBytes int, room func(n int), entry func(i int) *search.Entry, place func(i int, l loc)) error {
	if n > len(body)/rowSize || pathBytes > len(body)-n*rowSize {
		return damagedf("it is too short for its rows")
	}
	paths := string(body[n*rowSize:][:pathBytes])
	r := reader{b: body[n*rowSize+pathBytes:]}
	strs := make([]string, 0, 64)
	for range r.count(len(r.b)) {
		strs = append(strs, r.string())
	}
	if r.bad {
		return damagedf("its strings cannot be read")
	}
	str := func(b []byte) string {
		i := binary.LittleEndian.Uint32(b)
		if uint64(i) >= uint64(len(strs)) {
			r.bad = true
			return ""
		}
		return strs[i]
	}
	room(n)
	le, before := binary.LittleEndian, ""
	for i := range n {
		row := body[i*rowSize:][:rowSize]
		size := le.Uint32(row)
		if uint64(size) > uint64(len(paths)) {
			return damagedf("its paths are too short")
		}
		e := entry(i)
		e.Path, paths = paths[:size], paths[size:]
		e.Size, e.MTime, e.CTime = int64(le.Uint64(row[4:])), int64(le.Uint64(row[12:])), int64(le.Uint64(row[20:]))
		e.Inode, e.SeenAt = le.Uint64(row[28:]), int64(le.Uint64(row[36:]))
		copy(e.Hash[:], row[44:])
		e.Chunks = int(le.Uint32(row[76:]))
		at := 80
		for k := range e.Lens {
			e.Lens[k] = int(le.Uint32(row[at:]))
			at += 4
		}
		e.Skip, e.Detail, e.Language = code.Reason(str(row[at:])), str(row[at+4:]), str(row[at+8:])
		if r.bad {
			return damagedf("row %d of it names no string", i)
		}
		if i > 0 && before >= e.Path {
			return damagedf("its rows are out of order")
		}
		before = e.Path
		place(i, loc{le.Uint32(row[at+12:]), le.Uint32(row[at+16:])})
	}
	return nil
}
