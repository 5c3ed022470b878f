package githist

import (
	"cmp"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"

	"github.com/contextd/contextd/internal/code"
)

const (
	magic      = "ctxdHST\n"
	version    = 1
	headerSize = 8 + 4*4 + 8 + 7*4 + 4
	noteRow    = 16
	termRow    = 12
)

// The sections of a blob. The order is stored.
const (
	secHead = iota
	secNotes
	secFiles
	secPaths
	secTerms
	secPostings
	numSections
)

var (
	le    = binary.LittleEndian
	table = crc32.MakeTable(crc32.Castagnoli)
)

// ErrBlob is returned for bytes that Encode did not write.
var ErrBlob = errors.New("damaged history")

// Encode writes notes as a blob, newest first, at most MaxNotes.
func Encode(notes []Note) []byte {
	c := make([]tokenizedNote, 0, len(notes))
	for i := range notes {
		c = append(c, notes[i].count())
	}
	return encode("", c)
}

// NewPart makes a Part of notes, newest first, at most MaxNotes.
func NewPart(notes []Note) *Part {
	p, err := Open(Encode(notes))
	if err != nil {
		panic(err) // what was just encoded can be read
	}
	return p
}

func encode(head string, notes []tokenizedNote) []byte {
	notes = slices.DeleteFunc(slices.Clone(notes), func(c tokenizedNote) bool {
		return len(c.files) == 0 || len(c.files) > maxFiles || len(c.terms) == 0
	})
	notes = notes[:min(len(notes), MaxNotes)]
	var sec [numSections][]byte
	sec[secHead] = []byte(head)
	paths, ids := []code.Path(nil), make(map[code.Path]uint64)
	postings, terms := make(map[code.TermID][]count), []code.TermID(nil) // there, term is the note's number
	length := 0
	for i := range notes {
		n := &notes[i]
		sec[secNotes] = le.AppendUint64(sec[secNotes], uint64(n.time))
		sec[secNotes] = le.AppendUint32(sec[secNotes], uint32(n.length))
		sec[secNotes] = le.AppendUint32(sec[secNotes], uint32(len(sec[secFiles])))
		length += n.length
		sec[secFiles] = binary.AppendUvarint(sec[secFiles], uint64(len(n.files)))
		for _, p := range n.files {
			id, have := ids[p]
			if !have {
				id = uint64(len(paths))
				ids[p] = id
				paths = append(paths, p)
			}
			sec[secFiles] = binary.AppendUvarint(sec[secFiles], id)
		}
		for _, t := range n.terms {
			if postings[t.term] == nil {
				terms = append(terms, t.term)
			}
			postings[t.term] = append(postings[t.term], count{code.TermID(i), t.n})
		}
	}
	at := 4 * (len(paths) + 1)
	for _, p := range paths {
		sec[secPaths] = le.AppendUint32(sec[secPaths], uint32(at))
		at += len(p)
	}
	sec[secPaths] = le.AppendUint32(sec[secPaths], uint32(at))
	for _, p := range paths {
		sec[secPaths] = append(sec[secPaths], p...)
	}
	slices.SortFunc(terms, func(a, b code.TermID) int { return cmp.Compare(a, b) })
	for _, t := range terms {
		sec[secTerms] = le.AppendUint64(sec[secTerms], uint64(t))
		sec[secTerms] = le.AppendUint32(sec[secTerms], uint32(len(sec[secPostings])))
		list, last := binary.AppendUvarint(sec[secPostings], uint64(len(postings[t]))), uint64(0)
		for _, p := range postings[t] {
			list = binary.AppendUvarint(binary.AppendUvarint(list, uint64(p.term)-last), uint64(p.n))
			last = uint64(p.term)
		}
		sec[secPostings] = list
	}
	return join(&sec, len(notes), len(terms), len(paths), length)
}

func join(sec *[numSections][]byte, notes, terms, paths, length int) []byte {
	b := append(make([]byte, 0, headerSize), magic...)
	for _, n := range []int{version, notes, terms, paths} {
		b = le.AppendUint32(b, uint32(n))
	}
	b = le.AppendUint64(b, uint64(length))
	at := headerSize
	for i := range sec {
		b = le.AppendUint32(b, uint32(at))
		at += len(sec[i])
	}
	b = le.AppendUint32(b, uint32(at))
	b = append(b, 0, 0, 0, 0)
	for i := range sec {
		b = append(b, sec[i]...)
	}
	writeChecksum(b)
	return b
}

// writeChecksum writes the checksum of a blob into its header.
func writeChecksum(blob []byte) { le.PutUint32(blob[headerSize-4:], sumOf(blob)) }

func sumOf(blob []byte) uint32 {
	return crc32.Update(crc32.Checksum(blob[:headerSize-4], table), table, blob[headerSize:])
}
