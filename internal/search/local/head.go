package local

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/statedir"
)

// head is what CURRENT, or NEXT, says before the manifest.
type head struct {
	project search.Project // without what CONFIRMED and FAILED add
	seq     uint64         // commits so far; CONFIRMED and FAILED name the one they follow
	nextSeg uint64
	segs    []segRef
	base    baseRef // the manifest that it builds on
	build   string  // random, of what was built as a next version; else "". CURRENT has it from NEXT when that is switched to
	rows    int     // that have changed against it
	paths   int     // bytes
	raw     []byte
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
	b = appendString(b, h.base.name)
	b = binary.AppendUvarint(b, uint64(h.base.size))
	b = binary.AppendUvarint(b, uint64(h.base.sum))
	return appendString(b, h.build)
}

// errDamaged is in the chain of every error that means damage, as against a file that could not be read.
var errDamaged = errors.New("damaged")

func damagedf(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errDamaged, fmt.Sprintf(format, args...))
}

// readHead reads the record and the segments of the version that serves from a project's folder.
func readHead(dir string) (*head, error) { return readHeadOf(dir, currentName) }

func readHeadOf(dir, name string) (*head, error) {
	f, err := statedir.Open(filepath.Join(dir, name))
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
	record, err := unsealHead(currentMagic, currentVersion, b)
	if err != nil {
		return nil, damagedf("CURRENT: %v", err)
	}
	h := &head{raw: append([]byte(nil), b[:prefixSize+len(record)]...)}
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
	h.base = baseRef{name: r.string(), size: int64(r.count(1 << 50)), sum: uint32(r.uvarint())}
	h.build = r.string()
	if r.bad || p.Model.Dims < 0 || p.Model.Dims > maxDims {
		return nil, damagedf("the record in CURRENT cannot be read")
	}
	numbers := map[uint32]bool{}
	for _, s := range h.segs {
		n, ok := segmentNumber(s.name)
		if !ok || numbers[n] {
			return nil, damagedf("CURRENT names a segment %q", s.name)
		}
		numbers[n] = true
	}
	if h.base.name != "" && !isNumbered(manifestPrefix, h.base.name) {
		return nil, damagedf("CURRENT names a manifest %q", h.base.name)
	}
	return h, nil
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
