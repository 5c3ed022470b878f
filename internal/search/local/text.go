package local

import (
	"context"
	"math"
	"sync"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

// scratch is what a query needs of memory for each chunk of a segment.
type scratch struct {
	scores  []float32 // by chunk, all zero between uses
	touched []uint32  // chunks whose score is not zero
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// termLists are the encoded postings of a term, by segment, and in how many live chunks it stands.
type termLists struct {
	lists [][]byte
	live  int
}

// scoredTerm is a term whose postings give scores.
type scoredTerm struct {
	termLists
	idf  float32
	once bool // however often a chunk holds it, it counts once
}

// lexicalLegs finds the best chunks by words and by look-up names, and counts in n how many chunks hold each word. It
// goes through one segment after the other, with all terms: what it needs of each chunk then stays near.
func (st *state) lexicalLegs(ctx context.Context, q search.Query, allowed []bool, n *search.Nominees) (text, names []hit) {
	byName, byWord := make([]scoredTerm, len(q.Names)), make([]scoredTerm, len(q.Words))
	for i, name := range q.Names {
		l := st.collect(nameKey(name.ID))
		byName[i] = scoredTerm{l, st.idf(l.live), true}
	}
	for i, word := range q.Words {
		l := st.collect(wordKey(word.ID))
		byWord[i] = scoredTerm{l, st.idf(l.live), false}
		n.Stats.DF[i] = l.live
	}
	sc := scratches.Get().(*scratch)
	bestNames, bestText := top{n: nameChunks}, top{n: max(textChunks, 2*q.Files)}
	for i, s := range st.segs {
		if i > 0 && ctx.Err() != nil {
			n.Partial = true
			break
		}
		if len(sc.scores) < int(s.chunks) {
			sc.scores = make([]float32, s.chunks)
		}
		sc.score(st, i, byName, allowed)
		sc.best(st, i, &bestNames)
		sc.score(st, i, byWord, allowed)
		sc.best(st, i, &bestText)
	}
	scratches.Put(sc) // not after a fault, which leaves scores behind
	return bestText.sorted(), bestNames.sorted()
}

// countWords counts how many chunks hold each word.
func (st *state) countWords(ctx context.Context, words []code.Term, df []int, n *search.Nominees) {
	for i, w := range words {
		if ctx.Err() != nil {
			n.Partial = true
			return
		}
		df[i] = st.collect(wordKey(w.ID)).live
	}
}

func (st *state) idf(df int) float32 {
	return float32(math.Log(1 + (float64(st.stats.Chunks-df)+0.5)/(float64(df)+0.5)))
}

// collect finds the postings of a term in all segments and counts those in live chunks. Where no chunk of a segment is
// dead, their number stands there.
func (st *state) collect(key uint64) termLists {
	t := termLists{lists: make([][]byte, len(st.segs))}
	for i, s := range st.segs {
		l, n := s.postings(key)
		t.lists[i] = l
		if !st.dead[i] {
			t.live += n
			continue
		}
		rows := st.rowsOf(i)
		for p := (postings{list: l, chunks: s.chunks}); p.next(); {
			for _, c := range p.chunk[:p.n] {
				if rows[c] >= 0 {
					t.live++
				}
			}
		}
	}
	return t
}

// each calls f with the entry of each posting in live chunks.
func (t *termLists) each(st *state, f func(row int32)) {
	for i, l := range t.lists {
		rows := st.rowsOf(i)
		for p := (postings{list: l, chunks: uint32(len(rows))}); p.next(); {
			for _, c := range p.chunk[:p.n] {
				if row := rows[c]; row >= 0 {
					f(row)
				}
			}
		}
	}
}

// score adds to the scores of the allowed chunks of a segment, given by index, that hold some of the terms.
func (sc *scratch) score(st *state, segment int, terms []scoredTerm, allowed []bool) {
	rows, norms := st.rowsOf(segment), st.norms[st.first[segment]:]
	norms = norms[:len(rows)]
	scores := sc.scores[:len(rows)]
	all := allowed == nil && !st.dead[segment]
	for _, t := range terms {
		for p := (postings{list: t.lists[segment], chunks: uint32(len(rows))}); p.next(); {
			for k, c := range p.chunk[:p.n] {
				if !all && (rows[c] < 0 || allowed != nil && !allowed[rows[c]]) {
					continue
				}
				tf := float32(p.count[k])
				if t.once {
					tf = 1
				}
				was := scores[c]
				if was == 0 {
					sc.touched = append(sc.touched, c)
				}
				scores[c] = was + t.idf*(tf*(k1+1)/(tf+norms[c]))
			}
		}
	}
}

// best offers the chunks of a segment that have a score to t, and clears the scores.
func (sc *scratch) best(st *state, segment int, t *top) {
	rows, first := st.rowsOf(segment), st.first[segment]
	for _, c := range sc.touched {
		if s := sc.scores[c]; s >= t.worst() {
			t.add(hit{s, rows[c], first + c})
		}
		sc.scores[c] = 0
	}
	sc.touched = sc.touched[:0]
}
