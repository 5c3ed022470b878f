package local

import (
	"encoding/binary"
	"slices"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

// CURRENT, all numbers little-endian:
//
//	prefix   magic, version, lengths of head and body, sum of the body, sum of prefix and head
//	head     the record and the segments, varints and strings
//	body     a row for each entry by path, the paths one after the other, the distinct other strings
//
// Version 1 is the first.
const (
	currentMagic   = "ctxdCUR\n"
	currentVersion = 1
	prefixSize     = 8 + 4 + 4 + 8 + 4 + 4
	rowSize        = 4 + 8*5 + 32 + 4 + 4*int(code.NumFields) + 4*3 + 8
	maxHead        = 1 << 20
)

// loc is where the chunks of an entry are: segment seg-1 of the list, file ord in it. seg 0: it has none.
type loc struct{ seg, ord uint32 }

// segRef names a segment of a project.
type segRef struct {
	name string
	size int64
	head uint32 // sum of its header, which holds the sums of all else
}

// table is a manifest, by path. It is not changed once built.
type table struct {
	entries []search.Entry
	locs    []loc
}

// encodeCurrent is the content of CURRENT; it sets the table's sizes and the bytes up to the manifest in h.
func encodeCurrent(h *head, t *table) []byte {
	h.rows, h.paths = len(t.entries), 0
	for i := range t.entries {
		h.paths += len(t.entries[i].Path)
	}
	hb := h.encode()
	b := make([]byte, prefixSize, prefixSize+len(hb)+h.rows*rowSize+h.paths+1024)
	b = append(b, hb...)
	bodyAt := len(b)
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
	for i := range t.entries {
		e := &t.entries[i]
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
		b = le.AppendUint32(b, t.locs[i].seg)
		b = le.AppendUint32(b, t.locs[i].ord)
	}
	for i := range t.entries {
		b = append(b, t.entries[i].Path...)
	}
	b = binary.AppendUvarint(b, uint64(len(strs)))
	for _, s := range strs {
		b = appendString(b, s)
	}
	copy(b, currentMagic)
	le.PutUint32(b[8:], currentVersion)
	le.PutUint32(b[12:], uint32(len(hb)))
	le.PutUint64(b[16:], uint64(len(b)-bodyAt))
	le.PutUint32(b[24:], sum(b[bodyAt:]))
	le.PutUint32(b[28:], headSum(b[:bodyAt]))
	h.raw = slices.Clone(b[:bodyAt])
	return b
}

// parseCurrent reads all of CURRENT.
func parseCurrent(b []byte) (*head, *table, error) {
	h, err := parseHead(b)
	if err != nil {
		return nil, nil, err
	}
	body := b[len(h.raw):]
	if uint64(len(body)) != binary.LittleEndian.Uint64(b[16:]) {
		return nil, nil, damagedf("CURRENT has a manifest of %d bytes, not %d", len(body), binary.LittleEndian.Uint64(b[16:]))
	}
	if sum(body) != binary.LittleEndian.Uint32(b[24:]) {
		return nil, nil, damagedf("the manifest in CURRENT has a wrong checksum")
	}
	if h.rows*rowSize+h.paths > len(body) {
		return nil, nil, damagedf("CURRENT is too short for its manifest")
	}
	paths := string(body[h.rows*rowSize:][:h.paths])
	r := reader{b: body[h.rows*rowSize+h.paths:]}
	strs := make([]string, 0, 64)
	for range r.count(len(r.b)) {
		strs = append(strs, r.string())
	}
	if r.bad {
		return nil, nil, damagedf("the strings in CURRENT cannot be read")
	}
	str := func(b []byte) string {
		i := binary.LittleEndian.Uint32(b)
		if uint64(i) >= uint64(len(strs)) {
			r.bad = true
			return ""
		}
		return strs[i]
	}
	t := &table{entries: make([]search.Entry, h.rows), locs: make([]loc, h.rows)}
	le := binary.LittleEndian
	for i := range t.entries {
		row := body[i*rowSize:][:rowSize]
		e := &t.entries[i]
		n := int(le.Uint32(row))
		if n > len(paths) {
			return nil, nil, damagedf("the paths in CURRENT are too short")
		}
		e.Path, paths = paths[:n], paths[n:]
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
		t.locs[i] = loc{le.Uint32(row[at+12:]), le.Uint32(row[at+16:])}
		if int(t.locs[i].seg) > len(h.segs) || r.bad {
			return nil, nil, damagedf("entry %d of CURRENT points nowhere", i)
		}
		if i > 0 && t.entries[i-1].Path >= e.Path {
			return nil, nil, damagedf("the manifest in CURRENT is out of order")
		}
	}
	return h, t, nil
}
