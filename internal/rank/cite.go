package rank

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search/blob"
)

// Which chunks vouch for other files: the best ones, down to a share of the best, and no more than a word has bits.
const (
	citingChunks = 20
	citingShare  = .4
	citedFiles   = 2 // a name that more candidates define points nowhere
)

// citing is a chunk that is among the best of all candidates.
type citing struct {
	file, chunk int
	score       float64
}

// cite lets the best chunks vouch for the files that define what they name: the answer to "how are leases renewed" is
// often the type that all who renew one use.
func (s *scorer) cite(files []File, rows []row) {
	if features()[cited].Weights[s.q.Shape] == 0 {
		return
	}
	top := s.topChunks(rows)
	held := holders(files, top)
	if len(held.all) == 0 {
		return
	}
	held.findDefiners(files, rows)
	vouched := make([]uint32, len(files)) // which of top name something that only this file defines
	for i := range held.all {
		h := &held.all[i]
		if h.defined > citedFiles {
			continue
		}
		for _, file := range h.definers[:h.defined] {
			vouched[file] |= h.top
		}
	}
	for i, set := range vouched {
		sum := 0.0
		for ; set != 0; set &= set - 1 {
			if c := top[bits.TrailingZeros32(set)]; c.file != i {
				sum += c.score / top[0].score
			}
		}
		rows[i].v[cited] = math.Log1p(sum) / 3
	}
}

func (s *scorer) topChunks(rows []row) []citing {
	best := 0.0
	for i := range rows {
		best = max(best, rows[i].best)
	}
	var top []citing
	for i := range rows {
		for k, x := range rows[i].chunks {
			if x > 0 && x >= citingShare*best {
				top = append(top, citing{i, k, x})
			}
		}
	}
	slices.SortFunc(top, func(a, b citing) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.file, b.file), cmp.Compare(a.chunk, b.chunk))
	})
	return top[:min(len(top), citingChunks)]
}

// holding is a term that some of the top chunks hold.
type holding struct {
	term     code.TermID
	top      uint32            // which of them, a bit each
	defined  int               // how many candidates define it; above citedFiles, one more is all the same
	definers [citedFiles]int32 // the first of them
}

// holdings finds the holding of a term by a hash table: terms are hashes, so their low bits serve.
type holdings struct {
	all   []holding
	slots []int32 // place in all plus 1; 0: free
}

// place is the slot of a term, or the free one where it would stand.
func (h *holdings) place(term code.TermID) int {
	mask := len(h.slots) - 1
	for i := int(term) & mask; ; i = (i + 1) & mask {
		if at := h.slots[i]; at == 0 || h.all[at-1].term == term {
			return i
		}
	}
}

func (h *holdings) add(term code.TermID, top uint32) {
	if 2*len(h.all) >= len(h.slots) {
		h.slots = make([]int32, max(1024, 2*len(h.slots)))
		for i := range h.all {
			h.slots[h.place(h.all[i].term)] = int32(i + 1)
		}
	}
	i := h.place(term)
	if h.slots[i] == 0 {
		h.all = append(h.all, holding{term: term})
		h.slots[i] = int32(len(h.all))
	}
	h.all[h.slots[i]-1].top |= top
}

// holders tells for each term which of the top chunks hold it.
func holders(files []File, top []citing) *holdings {
	h := &holdings{all: make([]holding, 0, 1024)}
	var marks []uint32
	for i, c := range top {
		if slices.ContainsFunc(top[:i], func(have citing) bool { return have.file == c.file }) {
			continue
		}
		n := len(files[c.file].Features.Chunks)
		marks = slices.Grow(marks[:0], n)[:n]
		clear(marks)
		for k, d := range top[i:] {
			if d.file == c.file {
				marks[d.chunk] = 1 << (i + k)
			}
		}
		_ = blob.ChunkTerms(files[c.file].Blob, marks, h.add) // a damaged blob vouches for nothing
	}
	return h
}

// findDefiners finds the candidates that define a function or type of a name that the top chunks hold.
func (h *holdings) findDefiners(files []File, rows []row) {
	for i := range files {
		at := 0
		for k := range files[i].Features.Chunks {
			for n := range files[i].Features.Chunks[k].Symbols {
				d, name := &files[i].Features.Chunks[k].Symbols[n], rows[i].names[at]
				at++
				if !(d.Kind == code.KindType || d.Kind == code.KindModule || d.Kind == code.KindFunc && name.compound) {
					continue
				}
				slot := h.slots[h.place(name.term)]
				if slot == 0 || name.term == 0 {
					continue
				}
				x := &h.all[slot-1]
				switch {
				case x.defined > citedFiles, x.defined > 0 && x.definers[x.defined-1] == int32(i):
				case x.defined == citedFiles:
					x.defined++
				default:
					x.definers[x.defined] = int32(i)
					x.defined++
				}
			}
		}
	}
}
