package sandbox

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// joinSplit adds the paths of the shared index that the link extension names: a hash, then two bitmaps over its
// entries, those deleted and those replaced. A replaced entry stands in own with an empty path and keeps its name.
func joinSplit(r *repo, own []string, link []byte) ([]string, error) {
	hashLen := r.hashLen
	own = slices.DeleteFunc(own, func(name string) bool { return name == "" })
	if len(link) < hashLen {
		return nil, errIndex
	}
	hash := link[:hashLen]
	if strings.Trim(string(hash), "\x00") == "" {
		return own, nil
	}
	data, err := r.read(filepath.Join(r.gitDir, fmt.Sprintf("sharedindex.%x", hash)), maxIndexBytes)
	if err != nil {
		return nil, fmt.Errorf("read shared git index: %w", bare(err))
	}
	shared, _, err := parseIndex(data, hashLen)
	if err != nil {
		return nil, err
	}
	deleted, err := ewah(link[hashLen:], len(shared))
	if err != nil {
		return nil, err
	}
	for i, name := range shared {
		if !deleted[i] {
			own = append(own, name)
		}
	}
	return own, nil
}

// ewah unpacks the first n bits of a compressed bitmap. No bytes at all are an empty one.
func ewah(b []byte, n int) ([]bool, error) {
	bits := make([]bool, n)
	if len(b) == 0 {
		return bits, nil
	}
	if len(b) < 8 {
		return nil, errIndex
	}
	words := int(binary.BigEndian.Uint32(b[4:]))
	if b = b[8:]; words < 0 || words > len(b)/8 {
		return nil, errIndex
	}
	at := 0 // the next bit
	for i := 0; i < words; i++ {
		marker := binary.BigEndian.Uint64(b[8*i:])
		run, literals := int(marker>>1&0xffffffff)*64, int(marker>>33)
		for k := at; marker&1 != 0 && k < min(at+run, n); k++ {
			bits[k] = true
		}
		at += run
		for ; literals > 0 && i+1 < words; literals-- {
			i++
			for w, k := binary.BigEndian.Uint64(b[8*i:]), at; w != 0 && k < n; w, k = w>>1, k+1 {
				bits[k] = w&1 != 0
			}
			at += 64
		}
	}
	return bits, nil
}
