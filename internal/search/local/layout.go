package local

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// A segment begins with a header of headerSize bytes:
//
//	magic, version, number of files, of chunks, of terms, dimensions, nonce, offset and length and sum of each section, sum
//
// followed by its sections, each at a multiple of sectionAlign:
//
//	blobs     blob.EncodeFeatures of each file, in order
//	files     for each file and one more: its first chunk (4 bytes), the offset of its blob (8)
//	lens      length of each chunk (4), see chunkLen
//	terms     for each term by key: key (8), offset of its postings (4), number of them (4)
//	postings  for each posting: step from the chunk before times 2, plus 1 if its count is above 1; then the count (varints)
//	scales    for each chunk: scale and length of its vector (4 each); nothing without vectors
//	vectors   for each chunk: its quantised vector
//
// Version 1 is the first. Version 2 has the terms of file names, version 3 the third version of feature blobs.
const (
	segmentMagic   = "ctxdSEG\n"
	segmentVersion = 3
	headerSize     = 256
	sectionAlign   = 64
	fileRow        = 12
	termRow        = 16
	maxDims        = 1 << 14
)

// The sections of a segment. The order is stored: append only.
const (
	secBlobs = iota
	secFiles
	secLens
	secTerms
	secPostings
	secScales
	secVectors
	numSections
)

// Chunks of one segment and its terms are counted in 24 bits while it is built.
const (
	maxChunks = 1 << 24
	maxTerms  = 1 << 24
)

type section struct {
	off, len uint64
	sum      uint32
}

type segHeader struct {
	files, chunks, terms, dims uint32
	nonce                      uint64
	sections                   [numSections]section
}

func (h *segHeader) encode() []byte {
	le := binary.LittleEndian
	b := make([]byte, 0, headerSize)
	b = append(b, segmentMagic...)
	for _, n := range [...]uint32{segmentVersion, h.files, h.chunks, h.terms, h.dims} {
		b = le.AppendUint32(b, n)
	}
	b = le.AppendUint64(b, h.nonce)
	for _, s := range h.sections {
		b = le.AppendUint64(le.AppendUint64(b, s.off), s.len)
		b = le.AppendUint32(b, s.sum)
	}
	b = append(b, make([]byte, headerSize-4-len(b))...)
	return le.AppendUint32(b, sum(b))
}

// parseHeader reads the header of a segment of size bytes and checks that its sections lie within and have the lengths
// that its counts demand.
func parseHeader(b []byte) (*segHeader, error) {
	le := binary.LittleEndian
	if len(b) < headerSize || string(b[:8]) != segmentMagic {
		return nil, damagedf("it does not begin as a segment does")
	}
	if v := le.Uint32(b[8:]); v != segmentVersion {
		return nil, damagedf("it is of format %d, this program reads %d", v, segmentVersion)
	}
	if sum(b[:headerSize-4]) != le.Uint32(b[headerSize-4:]) {
		return nil, damagedf("its header has a wrong checksum")
	}
	h := &segHeader{files: le.Uint32(b[12:]), chunks: le.Uint32(b[16:]), terms: le.Uint32(b[20:]), dims: le.Uint32(b[24:]),
		nonce: le.Uint64(b[28:])}
	at := 36
	for i := range h.sections {
		s := section{le.Uint64(b[at:]), le.Uint64(b[at+8:]), le.Uint32(b[at+16:])}
		if size := uint64(len(b)); s.off > size || s.len > size-s.off {
			return nil, damagedf("its section %d lies outside", i)
		}
		h.sections[i] = s
		at += 20
	}
	vectors := uint64(0)
	if h.dims > 0 {
		vectors = uint64(h.chunks)
	}
	for i, want := range map[int]uint64{secFiles: (uint64(h.files) + 1) * fileRow, secLens: uint64(h.chunks) * 4,
		secTerms: uint64(h.terms) * termRow, secScales: vectors * 8, secVectors: vectors * uint64(h.dims)} {
		if h.sections[i].len != want {
			return nil, damagedf("its section %d has %d bytes, not %d", i, h.sections[i].len, want)
		}
	}
	if h.chunks > maxChunks || h.dims > maxDims {
		return nil, damagedf("it counts %d chunks of %d dimensions", h.chunks, h.dims)
	}
	return h, nil
}

// wordKey, nameKey and titleKey are the keys of a segment's terms: words, look-up names and the terms of
// search.NameTerms apart. The last stand at a file's first chunk.
func wordKey(id code.TermID) uint64 { return uint64(id) << 1 }
func nameKey(id code.TermID) uint64 { return uint64(id)<<1 | 1 }

func titleKey(id code.TermID) uint64 { return uint64(id) | 1<<(code.TermIDBits+1) }

// combinedTF is how often a chunk holds a term, for nomination: names it defines count twice.
func combinedTF(tf *[code.NumFields]uint16) int {
	return int(tf[code.Body]) + int(tf[code.Comment]) + 2*int(tf[code.Defs]) + int(tf[code.Context])
}

// chunkLen is the length of a chunk in the measure of combinedTF.
func chunkLen(lens *[code.NumFields]int) int {
	return lens[code.Body] + lens[code.Comment] + 2*lens[code.Defs] + lens[code.Context]
}

// numbered is the name of a segment or a manifest; isNumbered knows it.
func numbered(prefix string, n, nonce uint64) string {
	return fmt.Sprintf("%s%06d-%08x", prefix, n, uint32(nonce))
}

// newNonce tells apart files of one number that two processes made.
func newNonce() uint64 {
	var nonce [8]byte
	_, _ = rand.Read(nonce[:]) // never fails (crypto/rand)
	return binary.LittleEndian.Uint64(nonce[:])
}

// isNumbered reports whether name is that of a segment, or of a manifest, and nothing else, such as a path.
func isNumbered(prefix, name string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	return ok && len(rest) > 0 && len(rest) < 40 && strings.Trim(rest, "0123456789abcdef-") == ""
}

// segmentNumber is the number of a segment by its name, by which manifests mean it; no other of a project has it.
func segmentNumber(name string) (uint32, bool) {
	digits, _, _ := strings.Cut(strings.TrimPrefix(name, segmentPrefix), "-")
	n, err := strconv.ParseUint(digits, 10, 32)
	return uint32(n), err == nil && n > 0 && n < goneSeg && isNumbered(segmentPrefix, name)
}
