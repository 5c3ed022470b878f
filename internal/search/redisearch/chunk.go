package redisearch

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"github.com/contextd/contextd/internal/code"
)

// maxRepeat is how often one word is written into a chunk's terms at most: BM25 hardly tells 100 from more.
const maxRepeat = 100

// appendTerms writes the text of a chunk's TEXT field: each word as often as it counts (a defined name twice), each
// look-up name once, apart by spaces.
func appendTerms(b []byte, c *code.AnalyzedChunk) []byte {
	for i := range c.Terms {
		t := &c.Terms[i]
		n := int(t.TF[code.Body]) + int(t.TF[code.Comment]) + 2*int(t.TF[code.Defs]) + int(t.TF[code.Context])
		text := safeTerm(t.Term.Text)
		if text == "" {
			continue
		}
		for range min(n, maxRepeat) {
			b = append(append(b, text...), ' ')
		}
	}
	for _, name := range c.Names {
		if text := safeTerm(name.Text); text != "" {
			b = append(append(b, text...), ' ')
		}
	}
	return b
}

// maxTerm is the length of a term above which a hash stands for it: RediSearch cuts what it reads of a document at 128
// bytes, and what it reads of a query elsewhere.
const maxTerm = 100

// safeTerm is a term as it stands in a hash or a query: a letter, then letters and digits. Package lexical makes no
// others; what does not look so is left out on both sides ("") rather than escaped.
func safeTerm(t string) string {
	if len(t) < 2 || t[0] < 'a' || t[0] > 'z' {
		return ""
	}
	for i := 1; i < len(t); i++ {
		if c := t[i]; !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9') {
			return ""
		}
	}
	if len(t) > maxTerm {
		sum := sha256.Sum256([]byte(t))
		return t[:1] + "h" + hex.EncodeToString(sum[:16])
	}
	return t
}

// noVectorFlag is added to the n of identify for chunks without a vector in a build that has vectors.
const noVectorFlag = 1 << 30

// identify gives a chunk its id: a hash of the file's path and language, its terms and its text. Equal ids mean equal
// content, wherever in the file the chunk stands now; n counts the equal chunks of a file before this one.
func identify(path code.Path, language string, terms []byte, text string, n int) (id chunkID) {
	h := sha256.New()
	var num [4]byte
	for _, part := range [][]byte{[]byte(path), []byte(language), terms, []byte(text)} {
		binary.LittleEndian.PutUint32(num[:], uint32(len(part)))
		h.Write(num[:])
		h.Write(part)
	}
	binary.LittleEndian.PutUint32(num[:], uint32(n))
	h.Write(num[:])
	var sum [sha256.Size]byte
	copy(id[:], h.Sum(sum[:0]))
	return id
}

func isZero(v []float32) bool {
	for _, x := range v {
		if x != 0 {
			return false
		}
	}
	return true
}
