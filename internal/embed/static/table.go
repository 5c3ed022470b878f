package static

import (
	"encoding/binary"
	"fmt"
	"math"
)

const (
	magic  = "CSE1"
	header = 20
	// maxRows keeps a row number and one more value, "none", within 16 bits.
	maxRows = math.MaxUint16
)

// table is the file, cut into its parts.
type table struct {
	rows   int
	words  []byte // the vocabulary, one newline between two words
	scales []byte // a float32 a row
	codes  []byte // Dims int8 a row
}

// parseTable cuts the file. It checks the header and the size, not the vocabulary.
func parseTable(data []byte) (table, error) {
	if len(data) < header || string(data[:4]) != magic {
		return table{},
			fmt.Errorf("read embedding table: want a file that begins with %q and a header of %d bytes (got %d bytes)",
				magic, header, len(data))
	}
	field := func(i int) uint64 { return uint64(binary.LittleEndian.Uint32(data[4*i:])) }
	rows, dims, bits, words := field(1), field(2), field(3), field(4)
	if dims != Dims || bits != 8 || rows == 0 || rows > maxRows {
		return table{}, fmt.Errorf("read embedding table: want %d dimensions, 8 bits and 1 to %d rows (got %d, %d, %d)",
			Dims, maxRows, dims, bits, rows)
	}
	if want := header + words + rows*(4+Dims); uint64(len(data)) != want {
		return table{}, fmt.Errorf("read embedding table: want %d bytes (got %d)", want, len(data))
	}
	scales := header + words
	codes := scales + 4*rows
	return table{rows: int(rows), words: data[header:scales], scales: data[scales:codes], codes: data[codes:]}, nil
}

func (t table) scale(row uint32) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(t.scales[4*row:])))
}

func (t table) row(row uint32) *[Dims]byte { return (*[Dims]byte)(t.codes[int(row)*Dims:]) }
