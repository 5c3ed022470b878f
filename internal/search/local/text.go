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
	found   []posting
}

type posting struct{ chunk, tf uint32 }

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
		idf := st.idf(st.collectLive(sc, nameKey(name.ID)))
		sc.add(st, allowed, func(p posting) float32 { return idf * ((k1 + 1) / (1 + st.norms[p.chunk])) })
	}
	names = sc.best(st, nameChunks)
	for i, word := range q.Words {
		if ctx.Err() != nil {
			n.Partial = true
			break
		}
		n.Stats.DF[i] = st.collectLive(sc, wordKey(word.ID))
		idf := st.idf(n.Stats.DF[i])
		sc.add(st, allowed, func(p posting) float32 {
			tf := float32(p.tf)
			return idf * (tf * (k1 + 1) / (tf + st.norms[p.chunk]))
		})
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
		df[i] = st.collectLive(sc, wordKey(w.ID))
	}
}

func (st *state) idf(df int) float32 {
	return float32(math.Log(1 + (float64(st.stats.Chunks-df)+0.5)/(float64(df)+0.5)))
}

// collectLive sets sc.found to the postings of a term in live chunks, and returns their number.
func (st *state) collectLive(sc *scratch, key uint64) int {
	sc.found = sc.found[:0]
	for i, s := range st.segs {
		list := s.postings(key)
		base := st.base[i]
		rows := st.rowOf[base:][:s.chunks]
		for chunk := uint64(0); len(list) > 0; {
			step, tf, n := nextPosting(list)
			list = list[n:]
			chunk += uint64(step)
			if n == 0 || chunk >= uint64(len(rows)) {
				break
			}
			if rows[chunk] >= 0 {
				sc.found = append(sc.found, posting{base + uint32(chunk), tf})
			}
		}
	}
	return len(sc.found)
}

// add adds a score to the allowed ones among sc.found.
func (sc *scratch) add(st *state, allowed []bool, score func(posting) float32) {
	for _, p := range sc.found {
		if allowed != nil && !allowed[st.rowOf[p.chunk]] {
			continue
		}
		if sc.scores[p.chunk] == 0 {
			sc.touched = append(sc.touched, p.chunk)
		}
		sc.scores[p.chunk] += score(p)
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
