package redisearch

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

// chunkID identifies a chunk within a build: a hash of what is stored of it (see chunkIDs).
type chunkID [10]byte

func (id chunkID) String() string { return hex.EncodeToString(id[:]) }

// stored is a file's entry with the ids of its chunks; there are none in mode Names.
type stored struct {
	search.Entry
	seq int64 // number of the change that put its content here; 0: it came with the build
	ids []chunkID
}

// entryVersion is the first byte of an entry. Then follow, as varints: size, mtime, ctime, seen; inode; the hash (32
// bytes); the change's number; skip, detail, language (length and bytes); number of chunks, a length for each field;
// number of ids, the ids.
const entryVersion = 1

func (s *stored) encode() []byte {
	b := make([]byte, 0, 120+len(s.Detail)+len(s.ids)*len(chunkID{}))
	b = append(b, entryVersion)
	for _, n := range []int64{s.Size, s.MTime, s.CTime, s.SeenAt} {
		b = binary.AppendVarint(b, n)
	}
	b = binary.AppendUvarint(b, s.Inode)
	b = append(b, s.Hash[:]...)
	b = binary.AppendVarint(b, s.seq)
	for _, t := range []string{string(s.Skip), s.Detail, s.Language} {
		b = binary.AppendUvarint(b, uint64(len(t)))
		b = append(b, t...)
	}
	b = binary.AppendUvarint(b, uint64(s.Chunks))
	for _, n := range s.Lens {
		b = binary.AppendUvarint(b, uint64(n))
	}
	b = binary.AppendUvarint(b, uint64(len(s.ids)))
	for i := range s.ids {
		b = append(b, s.ids[i][:]...)
	}
	return b
}

var errEntry = errors.New("damaged file entry")

func decodeEntry(path code.Path, text string) (stored, error) {
	s := stored{Entry: search.Entry{Path: path}}
	r := reader{b: text}
	if v := r.take(1); v != string(rune(entryVersion)) {
		return s, fmt.Errorf("%q: %w: version %q, want %d", path, errEntry, v, entryVersion)
	}
	s.Size, s.MTime, s.CTime, s.SeenAt = r.varint(), r.varint(), r.varint(), r.varint()
	s.Inode = r.uvarint()
	copy(s.Hash[:], r.take(len(s.Hash)))
	s.seq = r.varint()
	s.Skip, s.Detail, s.Language = code.Reason(r.text()), r.text(), r.text()
	s.Chunks = r.count()
	for i := range s.Lens {
		s.Lens[i] = r.count()
	}
	ids := r.take(r.count() * len(chunkID{}))
	if r.bad || r.b != "" {
		return s, fmt.Errorf("%q: %w", path, errEntry)
	}
	s.ids = make([]chunkID, len(ids)/len(chunkID{}))
	for i := range s.ids {
		copy(s.ids[i][:], ids[i*len(chunkID{}):])
	}
	return s, nil
}

// reader reads what was written with varints; after the first fault bad is set and every read gives zero.
type reader struct {
	b   string
	bad bool
}

func (r *reader) take(n int) string {
	if n < 0 || n > len(r.b) {
		r.bad, r.b = true, ""
		return ""
	}
	s := r.b[:n]
	r.b = r.b[n:]
	return s
}

func (r *reader) uvarint() uint64 {
	var v uint64
	for i := 0; i < len(r.b) && i < binary.MaxVarintLen64; i++ {
		c := r.b[i]
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			r.b = r.b[i+1:]
			return v
		}
	}
	r.bad, r.b = true, ""
	return 0
}

func (r *reader) varint() int64 {
	u := r.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

// count reads a number that fits 31 bits.
func (r *reader) count() int {
	v := r.uvarint()
	if v > 1<<31-1 {
		r.bad, r.b = true, ""
		return 0
	}
	return int(v)
}

func (r *reader) text() string { return r.take(r.count()) }
