package rank

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/contextd/contextd/internal/code"
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

// cite lets the best chunks vouch for the files that define what they name: the answer to "how are leases renewed" is often
// the type that all who renew one use.
func (s *scorer) cite(files []File, rows []row) {
	if features()[cited].Weights[s.q.Shape] == 0 {
		return
	}
	top := s.topChunks(rows)
	holders := s.holders(files, top)
	if len(holders) == 0 {
		return
	}
	definers := s.definers(files, rows, holders)
	vouched := make([]uint32, len(files)) // which of top name something that only this file defines
	for id, defs := range definers {
		if len(defs) > citedFiles {
			continue
		}
		for _, file := range defs {
			vouched[file] |= holders[id]
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

// holders tells for each term which of the top chunks hold it, a bit each.
func (s *scorer) holders(files []File, top []citing) map[code.TermID]uint32 {
	holders := make(map[code.TermID]uint32)
	var bitOf map[int]uint32
	for i, c := range top {
		if slices.ContainsFunc(top[:i], func(have citing) bool { return have.file == c.file }) {
			continue
		}
		bitOf = make(map[int]uint32)
		for k, d := range top[i:] {
			if d.file == c.file {
				bitOf[d.chunk] = 1 << (i + k)
			}
		}
		// A damaged blob vouches for nothing.
		_ = code.ChunkTerms(files[c.file].Blob, func(chunk int) bool { return bitOf[chunk] != 0 }, func(chunk int, id code.TermID) { holders[id] |= bitOf[chunk] })
	}
	return holders
}

// definers lists, for the terms that holders name, the candidates that define a function or type of that name.
func (s *scorer) definers(files []File, rows []row, holders map[code.TermID]uint32) map[code.TermID][]int {
	definers := make(map[code.TermID][]int)
	for i := range files {
		at := 0
		for k := range files[i].Features.Chunks {
			for n := range files[i].Features.Chunks[k].Symbols {
				d, name := &files[i].Features.Chunks[k].Symbols[n], rows[i].names[at]
				at++
				if holders[name.term] == 0 || !(d.Kind == code.KindType || d.Kind == code.KindModule || d.Kind == code.KindFunc && name.compound) {
					continue
				}
				if have := definers[name.term]; len(have) == 0 || have[len(have)-1] != i {
					definers[name.term] = append(have, i)
				}
			}
		}
	}
	return definers
}
