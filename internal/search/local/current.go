package local

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

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

// head is what CURRENT says before the manifest.
type head struct {
	project search.Project // without what CONFIRMED and FAILED add
	seq     uint64         // commits so far; CONFIRMED and FAILED name the one they follow
	nextSeg uint64
	segs    []segRef
	rows    int
	paths   int // bytes
	raw     []byte
}

// table is a manifest, by path. It is not changed once built.
type table struct {
	entries []search.Entry
	locs    []loc
}

func (h *head) encode() []byte {
	p := &h.project
	b := make([]byte, 0, 512)
	for _, s := range []string{p.ID, p.Root, p.Epoch, p.Model.Embedder} {
		b = appendString(b, s)
	}
	for _, n := range []int64{p.Generation, unixNano(p.IndexedAt), int64(p.Model.Dims), int64(p.Model.Analyzer), int64(p.Files), int64(p.Chunks), p.Bytes} {
		b = binary.AppendVarint(b, n)
	}
	rebuilt := byte(0)
	if p.Rebuilt {
		rebuilt = 1
	}
	b = append(b, rebuilt)
	for _, n := range []uint64{h.seq, h.nextSeg, uint64(h.rows), uint64(h.paths), uint64(len(h.segs))} {
		b = binary.AppendUvarint(b, n)
	}
	for _, s := range h.segs {
		b = appendString(b, s.name)
		b = binary.AppendUvarint(b, uint64(s.size))
		b = binary.AppendUvarint(b, uint64(s.head))
	}
	return b
}

// encodeCurrent is the content of CURRENT; it sets the table's sizes in h.
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
	return b
}

// headSum is the sum of prefix and head, the place of the sum itself left out.
func headSum(b []byte) uint32 {
	return sum(append(append(make([]byte, 0, len(b)), b[:28]...), b[prefixSize:]...))
}

// errBad is in the chain of every error that means damage, as against a file that could not be read.
var errBad = errors.New("damaged")

func bad(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errBad, fmt.Sprintf(format, args...))
}

// readHead reads the record and the segments of a project from its folder.
func readHead(dir string) (*head, error) {
	f, err := os.Open(filepath.Join(dir, currentName))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, 4096)
	n, err := io.ReadFull(f, b)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return nil, err
	}
	b = b[:n]
	if len(b) >= prefixSize {
		if want := prefixSize + int(binary.LittleEndian.Uint32(b[12:])); want > len(b) && want <= maxHead {
			more := make([]byte, want-len(b))
			if _, err := io.ReadFull(f, more); err == nil {
				b = append(b, more...)
			}
		}
	}
	return parseHead(b)
}

// parseHead reads the head from the beginning of CURRENT.
func parseHead(b []byte) (*head, error) {
	if len(b) < prefixSize || string(b[:8]) != currentMagic {
		return nil, bad("CURRENT does not begin as it should")
	}
	if v := binary.LittleEndian.Uint32(b[8:]); v != currentVersion {
		return nil, bad("CURRENT is of format %d, this program reads %d", v, currentVersion)
	}
	n := uint64(binary.LittleEndian.Uint32(b[12:]))
	if n > maxHead || prefixSize+n > uint64(len(b)) {
		return nil, bad("CURRENT ends within its record")
	}
	raw := b[:prefixSize+n]
	if headSum(raw) != binary.LittleEndian.Uint32(b[28:]) {
		return nil, bad("the record in CURRENT has a wrong checksum")
	}
	h := &head{raw: append([]byte(nil), raw...)}
	r := reader{b: h.raw[prefixSize:]}
	p := &h.project
	p.ID, p.Root, p.Epoch, p.Model.Embedder = r.string(), r.string(), r.string(), r.string()
	p.Generation = r.varint()
	p.IndexedAt = fromUnixNano(r.varint())
	p.Model.Dims, p.Model.Analyzer = int(r.varint()), int(r.varint())
	p.Files, p.Chunks, p.Bytes = int(r.varint()), int(r.varint()), r.varint()
	p.Rebuilt = r.byte() == 1
	h.seq, h.nextSeg = r.uvarint(), r.uvarint()
	h.rows, h.paths = r.count(1<<31-1), r.count(1<<40)
	for range r.count(len(r.b)) {
		h.segs = append(h.segs, segRef{name: r.string(), size: int64(r.count(1 << 50)), head: uint32(r.uvarint())})
	}
	if r.bad || p.Model.Dims < 0 || p.Model.Dims > maxDims {
		return nil, bad("the record in CURRENT cannot be read")
	}
	for _, s := range h.segs {
		if !isSegmentName(s.name) {
			return nil, bad("CURRENT names a segment %q", s.name)
		}
	}
	return h, nil
}

// parseCurrent reads all of CURRENT.
func parseCurrent(b []byte) (*head, *table, error) {
	h, err := parseHead(b)
	if err != nil {
		return nil, nil, err
	}
	body := b[len(h.raw):]
	if uint64(len(body)) != binary.LittleEndian.Uint64(b[16:]) {
		return nil, nil, bad("CURRENT has a manifest of %d bytes, not %d", len(body), binary.LittleEndian.Uint64(b[16:]))
	}
	if sum(body) != binary.LittleEndian.Uint32(b[24:]) {
		return nil, nil, bad("the manifest in CURRENT has a wrong checksum")
	}
	if h.rows*rowSize+h.paths > len(body) {
		return nil, nil, bad("CURRENT is too short for its manifest")
	}
	paths := string(body[h.rows*rowSize:][:h.paths])
	r := reader{b: body[h.rows*rowSize+h.paths:]}
	strs := make([]string, 0, 64)
	for range r.count(len(r.b)) {
		strs = append(strs, r.string())
	}
	if r.bad {
		return nil, nil, bad("the strings in CURRENT cannot be read")
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
			return nil, nil, bad("the paths in CURRENT are too short")
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
			return nil, nil, bad("entry %d of CURRENT points nowhere", i)
		}
		if i > 0 && t.entries[i-1].Path >= e.Path {
			return nil, nil, bad("the manifest in CURRENT is out of order")
		}
	}
	return h, t, nil
}

func unixNano(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func fromUnixNano(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}
