package static

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// slots is the size of the index, a power of two: 38,224 words fill it to 58 %.
const slots = 1 << 16

// index finds the row of a word by open addressing. It is a file, made from the table: slots of a little-endian uint16,
// the row+1 of a word or 0, then for each row and one more a uint32, where its word begins in the vocabulary.
type index struct {
	slots      *[2 * slots]byte
	offsets    []byte
	vocabulary []byte
}

// parseIndex checks that the file fits the table by its size and its last offset.
func parseIndex(data []byte, t table) (index, error) {
	const begin = 2 * slots
	if want := begin + 4*(t.rows+1); len(data) != want {
		return index{}, fmt.Errorf("read embedding index: want %d bytes for a table of %d rows (got %d)", want,
			t.rows, len(data))
	}
	ix := index{slots: (*[begin]byte)(data), offsets: data[begin:], vocabulary: t.words}
	if end := ix.offset(t.rows); end != len(t.words)+1 {
		return index{}, fmt.Errorf("read embedding index: want one made for a vocabulary of %d bytes (got %d)",
			len(t.words), end-1)
	}
	return ix, nil
}

// buildIndex makes the file. A word that stands twice keeps its first row.
func buildIndex(t table) []byte {
	data := make([]byte, 2*slots, 2*slots+4*(t.rows+1))
	words := string(t.words)
	for row, at := 0, 0; row < t.rows; row++ {
		end := at
		for end < len(words) && words[end] != '\n' {
			end++
		}
		data = binary.LittleEndian.AppendUint32(data, uint32(at))
		i := hash(load(words, at, min(end-at, 16))) % slots
		for binary.LittleEndian.Uint16(data[2*i:]) != 0 {
			i = (i + 1) % slots
		}
		binary.LittleEndian.PutUint16(data[2*i:], uint16(row+1))
		at = end + 1
	}
	return binary.LittleEndian.AppendUint32(data, uint32(len(words)+1))
}

func (ix *index) offset(row int) int { return int(binary.LittleEndian.Uint32(ix.offsets[4*row:])) }

// lookup returns the row of the word text[start:stop], a part of an identifier, in any case of letters; -1 for an
// unknown one.
func (ix *index) lookup(text string, start, stop int) int {
	n := min(stop-start, 16)
	lo, hi := load(text, start, n)
	// Of letters and digits only: bit 5 makes a letter lower case and stands in every digit.
	const fold = 0x2020202020202020
	if n <= 8 {
		lo |= fold & (1<<(8*n) - 1)
	} else {
		lo, hi = lo|fold, hi|fold&(1<<(8*(n-8))-1)
	}
	for i := hash(lo, hi) % slots; ; i = (i + 1) % slots {
		row := int(ix.slots[2*i]) | int(ix.slots[2*i+1])<<8
		if row == 0 {
			return -1
		}
		row--
		if word := ix.vocabulary[ix.offset(row) : ix.offset(row+1)-1]; equal(word, text[start:stop]) {
			return row
		}
	}
}

// terms counts the known words of a short text, in order of first occurrence.
func (ix *index) terms(text string) (terms []term) {
	for start, end := identifier(text, 0); start < end; start, end = identifier(text, end) {
	parts:
		for a, b := part(text, start, end); a < b; a, b = part(text, b, end) {
			if !counts(text, a, b) {
				continue
			}
			row := ix.lookup(text, a, b)
			if row < 0 {
				continue
			}
			for i := range terms {
				if terms[i].row == uint32(row) {
					terms[i].count++
					continue parts
				}
			}
			terms = append(terms, term{uint32(row), 1})
		}
	}
	return terms
}

// equal reports whether word, in lower case, is lower.
func equal(lower []byte, word string) bool {
	if len(lower) != len(word) {
		return false
	}
	for i := range lower {
		if lower[i] != word[i]|0x20 {
			return false
		}
	}
	return true
}

// hash mixes the first 16 bytes of a word. The index file depends on it.
func hash(lo, hi uint64) uint64 {
	a, b := bits.Mul64(lo^0x9e3779b97f4a7c15, hi^0xd6e8feb86659fd93)
	return a ^ b
}
