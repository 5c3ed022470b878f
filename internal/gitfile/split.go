package gitfile

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// SharedName is the name of the shared index file that the link extension of an index names, which lies beside it; ""
// where it names none. The extension is a hash, then two bitmaps over the entries of the shared index: those deleted
// and those replaced.
func SharedName(link []byte, hashLen int) (string, error) {
	if len(link) < hashLen {
		return "", errIndex
	}
	hash := link[:hashLen]
	if strings.Trim(string(hash), "\x00") == "" {
		return "", nil
	}
	return fmt.Sprintf("sharedindex.%x", hash), nil
}

// JoinShared joins the paths of an index with those of its shared index, less those that the bitmaps behind the hash of
// its link extension say are deleted. A replaced entry stands in own with an empty path and keeps its name.
func JoinShared(own, shared []string, bitmaps []byte) ([]string, error) {
	own = slices.DeleteFunc(own, func(name string) bool { return name == "" })
	deleted, err := ewah(bitmaps, len(shared))
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
