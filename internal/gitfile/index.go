package gitfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// maxExpansion is how many times larger than its file all paths of an index may be: version 4 writes only how a path
// differs from the one before, so a short file could name terabytes. An entry takes 64 bytes at least, so real paths
// stay far below.
const maxExpansion = 4

// Index is what git tracks: the paths of its index file, sorted by bytes, relative to the top of the working tree.
type Index struct{ Paths []string }

// Has reports whether path itself is tracked; a submodule is tracked under the path of its folder.
func (x *Index) Has(path string) bool {
	if x == nil {
		return false
	}
	_, ok := slices.BinarySearch(x.Paths, path)
	return ok
}

// HasUnder reports whether something below the folder dir, which ends in "/", or the folder itself is tracked.
func (x *Index) HasUnder(dir string) bool {
	if x == nil {
		return false
	}
	i := sort.SearchStrings(x.Paths, dir)
	return i < len(x.Paths) && strings.HasPrefix(x.Paths[i], dir) || x.Has(strings.TrimSuffix(dir, "/"))
}

// NewIndex is the index that holds names.
func NewIndex(names []string) *Index {
	if !slices.IsSorted(names) {
		slices.Sort(names)
	}
	return &Index{Paths: names}
}

// Bytes is what the index takes in memory.
func (x *Index) Bytes() int {
	n := 0
	for _, path := range x.Paths {
		n += len(path) + 32
	}
	return n
}

var errIndex = errors.New("damaged git index")

// ParseIndex gives the paths of an index file in the order stored and the body of its "link" extension, if any.
func ParseIndex(data []byte, hashLen int) (names []string, link []byte, err error) {
	if len(data) < 12+hashLen || string(data[:4]) != "DIRC" {
		return nil, nil, errIndex
	}
	version, count := binary.BigEndian.Uint32(data[4:]), int(binary.BigEndian.Uint32(data[8:]))
	if version < 2 || version > 4 {
		return nil, nil, fmt.Errorf("git index version %d: want 2, 3 or 4", version)
	}
	body := data[:len(data)-hashLen] // the checksum ends the file
	fixed := 40 + hashLen + 2        // stat data, hash, flags
	if count < 0 || count > len(body)/(fixed+1) {
		return nil, nil, errIndex
	}
	names = make([]string, 0, count)
	room := max(maxExpansion*len(data), 1<<20)
	pos, prev := 12, []byte(nil)
	for range count {
		if pos+fixed > len(body) {
			return nil, nil, errIndex
		}
		start := pos
		flags := binary.BigEndian.Uint16(body[pos+fixed-2:])
		pos += fixed
		if flags&0x4000 != 0 { // extended flags
			if pos += 2; version < 3 {
				return nil, nil, errIndex
			}
		}
		keep := 0
		if version == 4 {
			drop, n := varint(body[min(pos, len(body)):])
			if n == 0 || drop > len(prev) {
				return nil, nil, errIndex
			}
			pos, keep = pos+n, len(prev)-drop
		}
		end := indexNul(body, pos)
		if end < 0 {
			return nil, nil, errIndex
		}
		if version == 4 {
			prev = append(prev[:keep], body[pos:end]...)
			if room -= len(prev); room < 0 {
				return nil, nil, errIndex
			}
			names, pos = append(names, string(prev)), end+1
		} else {
			names = append(names, string(body[pos:end]))
			pos = start + (end-start+8)&^7 // padded to a multiple of 8 with at least one NUL
		}
	}
	if pos > len(body) {
		return nil, nil, errIndex
	}
	for len(body)-pos >= 8 { // extensions
		size := int(binary.BigEndian.Uint32(body[pos+4:]))
		if size < 0 || size > len(body)-pos-8 {
			return nil, nil, errIndex
		}
		if string(body[pos:pos+4]) == "link" {
			link = body[pos+8 : pos+8+size]
		}
		pos += 8 + size
	}
	return names, link, nil
}

func indexNul(b []byte, from int) int {
	for i := from; i < len(b); i++ {
		if b[i] == 0 {
			return i
		}
	}
	return -1
}

// varint reads the offset encoding of index version 4; n is 0 where it is cut off or too large.
func varint(b []byte) (v, n int) {
	for i, c := range b {
		if i > 4 {
			return 0, 0
		}
		if i > 0 {
			v++
		}
		v = v<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return v, i + 1
		}
	}
	return 0, 0
}
