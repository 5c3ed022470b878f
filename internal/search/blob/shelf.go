package blob

import (
	"math/bits"

	"github.com/contextd/contextd/internal/code"
)

// shelf tells how the ids of a file's terms are laid out. Ids are hashes, so their top bits deal them evenly into
// buckets; what is stored of an id is the bits below. A term is found in its bucket, whose place the directory tells.
type shelf struct {
	buckets int
	width   uint // bits of an id within its bucket
}

// bucketTerms is the least number of terms a bucket has on average; the most is twice that. Small buckets are searched
// sooner, but each takes two bytes of the directory.
const bucketTerms = 8

func shelfOf(terms int) shelf {
	b := max(bits.Len(uint(terms/bucketTerms)), 1) - 1
	return shelf{1 << b, uint(code.TermIDBits - b)}
}

func (s shelf) bucket(id code.TermID) int { return int(id >> s.width) }

func (s shelf) low(id code.TermID) uint64 { return uint64(id) & (1<<s.width - 1) }

// size is the number of bytes that the ids of terms take.
func (s shelf) size(terms int) int { return (terms*int(s.width) + 7) / 8 }

// appendLows writes ids without the bits that name their bucket.
func (s shelf) appendLows(b []byte, ids []code.TermID) []byte {
	var acc uint64
	have := uint(0) // bits in acc, fewer than 8 before each id
	for _, id := range ids {
		acc |= s.low(id) << have
		for have += s.width; have >= 8; have -= 8 {
			b = append(b, byte(acc))
			acc >>= 8
		}
	}
	if have > 0 {
		b = append(b, byte(acc))
	}
	return b
}

// lows are the stored bits of ids: width of each, the first at byte at of b.
type lows struct {
	b     string
	at    int
	width uint
}

// get gives those of term i, which must be one of the file.
func (l *lows) get(i int) (low uint64) {
	bit := i * int(l.width)
	p := l.at + bit>>3
	if p+8 <= len(l.b) { // the ids are seldom the last 8 bytes of a blob
		b := l.b[p : p+8]
		low = uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 |
			uint64(b[7])<<56
	} else {
		for k := range len(l.b) - p {
			low |= uint64(l.b[p+k]) << (8 * k)
		}
	}
	return low >> (bit & 7) & (1<<l.width - 1)
}

// find is the place of the id with the bits low among n ids from place first, or -1. It begins where the id should be
// if they are evenly spread.
func (l *lows) find(low uint64, first, n int) int {
	i := int(low >> (l.width - 16) * uint64(n) >> 16)
	at := l.get(first + i)
	for at < low && i+1 < n {
		i++
		at = l.get(first + i)
	}
	for at > low && i > 0 {
		i--
		at = l.get(first + i)
	}
	if at != low {
		return -1
	}
	return first + i
}
