package local

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

// CURRENT, all numbers little-endian:
//
//	prefix   magic, version, lengths of head and body, sum of the body, sum of prefix and head
//	head     the record, the segments and the manifest that it builds on, varints and strings
//	body     what has changed against that manifest: a row for each entry by path, the paths one after the other, the
//	         distinct other strings
//
// Version 1 is the first: it holds the whole manifest. Version 2 has the changes only, and names segments by number.
const (
	currentMagic   = "ctxdCUR\n"
	currentVersion = 2
	prefixSize     = 8 + 4 + 4 + 8 + 4 + 4
	rowSize        = 4 + 8*5 + 32 + 4 + 4*int(code.NumFields) + 4*3 + 8
	maxHead        = 1 << 20
)

// goneSeg in the place of a segment's number says that there is no such entry any more.
const goneSeg = math.MaxUint32

// segRef names a segment of a project.
type segRef struct {
	name string
	size int64
	head uint32 // sum of its header, which holds the sums of all else
}

// encodeCurrent is the content of CURRENT; it sets the sizes of what has changed and the bytes up to that in h.
func encodeCurrent(h *head, t *table) []byte {
	rows := t.changed()
	body, paths := encodeRows(len(rows), func(i int) (*search.Entry, loc) {
		if rows[i].gone {
			return &rows[i].entry, loc{seg: goneSeg}
		}
		return &rows[i].entry, rows[i].loc
	})
	h.rows, h.paths, h.base = len(rows), paths, t.base
	hb := h.encode()
	b := seal(currentMagic, currentVersion, hb, body)
	h.raw = slices.Clone(b[:prefixSize+len(hb)])
	return b
}

// parseCurrent reads all of CURRENT.
func parseCurrent(b []byte) (*head, []row, error) {
	h, err := parseHead(b)
	if err != nil {
		return nil, nil, err
	}
	_, body, err := unseal(currentMagic, currentVersion, b)
	if err != nil {
		return nil, nil, err
	}
	var rows []row
	err = parseRows(body, h.rows, h.paths, func(n int) { rows = make([]row, n) },
		func(i int) *search.Entry { return &rows[i].entry },
		func(i int, l loc) {
			if rows[i].loc = l; l.seg == goneSeg {
				rows[i] = row{entry: search.Entry{Path: rows[i].entry.Path}, gone: true}
			}
		})
	return h, rows, err
}

// seal puts a prefix with all sums before head and body.
func seal(magic string, version uint32, head, body []byte) []byte {
	b := make([]byte, prefixSize, prefixSize+len(head)+len(body))
	b = append(append(b, head...), body...)
	le := binary.LittleEndian
	copy(b, magic)
	le.PutUint32(b[8:], version)
	le.PutUint32(b[12:], uint32(len(head)))
	le.PutUint64(b[16:], uint64(len(body)))
	le.PutUint32(b[24:], sum(body))
	le.PutUint32(b[28:], headSum(b[:prefixSize+len(head)]))
	return b
}

// unseal checks a prefix and the sum of the body.
func unseal(magic string, version uint32, b []byte) (head, body []byte, err error) {
	if head, err = unsealHead(magic, version, b); err != nil {
		return nil, nil, err
	}
	body = b[prefixSize+len(head):]
	if n := binary.LittleEndian.Uint64(b[16:]); uint64(len(body)) != n {
		return nil, nil, damagedf("it has %d bytes of rows, not %d", len(body), n)
	}
	if sum(body) != binary.LittleEndian.Uint32(b[24:]) {
		return nil, nil, damagedf("its rows have a wrong checksum")
	}
	return head, body, nil
}

// unsealHead checks a prefix and the sum of it and the head, whatever follows.
func unsealHead(magic string, version uint32, b []byte) (head []byte, err error) {
	if len(b) < prefixSize || string(b[:8]) != magic {
		return nil, damagedf("it does not begin as it should")
	}
	if v := binary.LittleEndian.Uint32(b[8:]); v != version {
		return nil, damagedf("it is of format %d, this program reads %d", v, version)
	}
	n := uint64(binary.LittleEndian.Uint32(b[12:]))
	if n > maxHead || prefixSize+n > uint64(len(b)) {
		return nil, damagedf("it ends within its record")
	}
	if headSum(b[:prefixSize+n]) != binary.LittleEndian.Uint32(b[28:]) {
		return nil, damagedf("its record has a wrong checksum")
	}
	return b[prefixSize : prefixSize+n], nil
}

// headSum is the sum of prefix and head, the place of the sum itself left out.
func headSum(b []byte) uint32 {
	return sum(append(append(make([]byte, 0, len(b)), b[:28]...), b[prefixSize:]...))
}
