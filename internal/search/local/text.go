package local

import (
	"context"
	"math"
	"sync"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

// scratch is what a query needs of memory for each chunk of a project.
type scratch struct {
	scores  []float32 // by chunk, all zero between uses
	touched []uint32  // chunks whose score is not zero

	lists []segmentList // of the term that was collected
	live  int           // live chunks that hold it
}

// segmentList is the encoded postings of a term in a segment, given by index.
type segmentList struct {
	segment int
	list    []byte
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// lexicalLegs finds the best chunks by words and by look-up names, and counts in n how many chunks hold each word.
func (st *state) lexicalLegs(ctx context.Context, q search.Query, allowed []bool, n *search.Nominees) (text, names []hit) {
	sc := scratches.Get().(*scratch)
	defer scratches.Put(sc)
	if len(sc.scores) < len(st.rowOf) {
		sc.scores = make([]float32, len(st.rowOf))
	}
	for i, name := range q.Names {
		if i > 0 && ctx.Err() != nil {
			n.Partial = true
			break
		}
		sc.collect(st, nameKey(name.ID))
		idf := st.idf(sc.live)
		sc.add(st, allowed, idf, true)
	}
	names = sc.best(st, nameChunks)
	for i, word := range q.Words {
		if ctx.Err() != nil {
			n.Partial = true
			break
		}
		sc.collect(st, wordKey(word.ID))
		n.Stats.DF[i] = sc.live
		idf := st.idf(sc.live)
		sc.add(st, allowed, idf, false)
	}
	return sc.best(st, max(textChunks, 2*q.Files)), names
}

// countWords counts how many chunks hold each word.
func (st *state) countWords(ctx context.Context, words []code.Term, df []int, n *search.Nominees) {
	sc := scratches.Get().(*scratch)
	defer scratches.Put(sc)
	for i, w := range words {
		if ctx.Err() != nil {
			n.Partial = true
			return
		}
		sc.collect(st, wordKey(w.ID))
		df[i] = sc.live
	}
}

func (st *state) idf(df int) float32 {
	return float32(math.Log(1 + (float64(st.stats.Chunks-df)+0.5)/(float64(df)+0.5)))
}

// collect finds the postings of a term in all segments and counts those in live chunks. Where no chunk of a segment is
// dead, their number stands there.
func (sc *scratch) collect(st *state, key uint64) {
	sc.lists, sc.live = sc.lists[:0], 0
	for i, s := range st.segs {
		l, n := s.postings(key)
		if len(l) == 0 {
			continue
		}
		sc.lists = append(sc.lists, segmentList{i, l})
		if !st.dead[i] {
			sc.live += n
			continue
		}
		rows := st.rowsOf(i)
		for p := (postings{list: l, chunks: s.chunks}); p.next(); {
			for _, c := range p.chunk[:p.n] {
				if rows[c] >= 0 {
					sc.live++
				}
			}
		}
	}
}

// each calls f with the entry and the chunk of each posting, in live chunks, of the term that was collected.
func (sc *scratch) each(st *state, f func(row int32, chunk uint32)) {
	for _, l := range sc.lists {
		base, rows := st.first[l.segment], st.rowsOf(l.segment)
		for p := (postings{list: l.list, chunks: uint32(len(rows))}); p.next(); {
			for _, c := range p.chunk[:p.n] {
				if row := rows[c]; row >= 0 {
					f(row, base+c)
				}
			}
		}
	}
}

// add adds to the scores of the allowed chunks that hold the term that was collected; once: however often they do.
func (sc *scratch) add(st *state, allowed []bool, idf float32, once bool) {
	for _, l := range sc.lists {
		base, rows := st.first[l.segment], st.rowsOf(l.segment)
		scores, norms := sc.scores[base:][:len(rows)], st.norms[base:][:len(rows)]
		all := allowed == nil && !st.dead[l.segment]
		for p := (postings{list: l.list, chunks: uint32(len(rows))}); p.next(); {
			for k, c := range p.chunk[:p.n] {
				if !all && (rows[c] < 0 || allowed != nil && !allowed[rows[c]]) {
					continue
				}
				tf := float32(p.count[k])
				if once {
					tf = 1
				}
				was := scores[c]
				if was == 0 {
					sc.touched = append(sc.touched, base+c)
				}
				scores[c] = was + idf*(tf*(k1+1)/(tf+norms[c]))
			}
		}
	}
}

// best takes the n best chunks and clears the scores.
func (sc *scratch) best(st *state, n int) []hit {
	t := top{n: n}
	for _, c := range sc.touched {
		if s := sc.scores[c]; s >= t.worst() {
			t.add(hit{s, st.rowOf[c], c})
		}
		sc.scores[c] = 0
	}
	sc.touched = sc.touched[:0]
	return t.sorted()
}
