package redisearch

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/contextd/contextd/internal/code"
)

// maxRepeat is how often one word counts in a chunk at most: BM25 hardly tells 100 from more.
const maxRepeat = 100

// words is what is indexed of a chunk's terms: a text for each weight of a build's form, in which a term stands as often
// as it takes for the weights to add up to its count.
type words [3][]byte

// appendTerms adds the terms of a chunk: each word as often as it counts (a defined name twice), each look-up name once.
func (w *words) appendTerms(c *code.AnalyzedChunk, weights []int) {
	for i := range w {
		w[i] = w[i][:0]
	}
	for i := range c.Terms {
		t := &c.Terms[i]
		n := int(t.TF[code.Body]) + int(t.TF[code.Comment]) + 2*int(t.TF[code.Defs]) + int(t.TF[code.Context])
		w.add(t.Term, min(n, maxRepeat), weights)
	}
	for _, name := range c.Names {
		w.add(name, 1, weights)
	}
}

func (w *words) add(t code.Term, n int, weights []int) {
	short := shortTerm(t)
	for i := len(weights) - 1; i >= 0; i-- {
		for ; n >= weights[i]; n -= weights[i] {
			w[i] = append(append(w[i], short[:]...), ' ')
		}
	}
}

// shortTerm stands for a term in hashes and queries: a letter, then letters and digits, as no server takes for anything
// but a word. It is shorter than most terms. Two terms share one with a chance of 6e-10: in a project of 100,000 terms
// one in 16,000 shares its short form with another.
func shortTerm(t code.Term) (short [6]byte) {
	const digits = "abcdefghijklmnopqrstuvwxyz0123456789"
	n, base := uint64(t.ID), uint64(26)
	for i := range short {
		short[i] = digits[n%base]
		n, base = n/base, 36
	}
	return short
}

// noVectorFlag is added to the n of identify for chunks without a vector in a build that has vectors.
const noVectorFlag = 1 << 30

// identify gives a chunk its id: a hash of the file's path and language, its terms and its text. Equal ids mean equal
// content, wherever in the file the chunk stands now; n counts the equal chunks of a file before this one.
func identify(path code.Path, language string, w *words, text string, n int) (id chunkID) {
	h := sha256.New()
	var num [4]byte
	for _, part := range [][]byte{[]byte(path), []byte(language), w[0], w[1], w[2], []byte(text)} {
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
