package local

import (
	"context"
	"runtime"
	"sync"
)

// scanBlock is how many chunks are compared between two looks at the deadline.
const scanBlock = 2048

// nearest finds the chunks with the greatest cosine to query, comparing every live and allowed one that has a vector,
// on all processors. An error means that it had to stop before the end.
func (st *state) nearest(ctx context.Context, query []float32, allowed []bool) ([]hit, error) {
	blocks := (len(st.rowOf) + scanBlock - 1) / scanBlock
	workers := max(1, min(runtime.GOMAXPROCS(0), blocks))
	f := newCosineFilter(query)
	tops := make([]top, workers)
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		tops[w].n = vectorChunks
		wg.Go(func() {
			errs[w] = recoverFault(func() error {
				for i := w; i < blocks; i += workers {
					if err := ctx.Err(); err != nil {
						return err
					}
					st.scan(&tops[w], query, f, allowed, uint32(i*scanBlock), uint32(min((i+1)*scanBlock, len(st.rowOf))))
				}
				return nil
			})
		})
	}
	wg.Wait()
	all := top{n: vectorChunks}
	for w := range tops {
		if errs[w] != nil {
			return nil, errs[w]
		}
		for _, h := range tops[w].hits {
			all.add(h)
		}
	}
	return all.sorted(), nil
}

// scanRun is how many chunks the filter looks at in one go.
const scanRun = 256

// scan offers the chunks from…to-1 to t, but for those that f turns away.
func (st *state) scan(t *top, query []float32, f *cosineFilter, allowed []bool, from, to uint32) {
	var products [scanRun]int32
	for i, s := range st.segs {
		hi := min(to, st.first[i]+s.chunks)
		for c := max(from, st.first[i]); c < hi; {
			if row := st.rowOf[c]; row < 0 || allowed != nil && !allowed[row] {
				c++
				continue
			}
			end := c + 1
			for limit := min(hi, c+scanRun); end < limit && st.rowOf[end] >= 0 && (allowed == nil || allowed[st.rowOf[end]]); {
				end++
			}
			if f != nil {
				f.products(s, c-st.first[i], products[:end-c])
			}
			for k := uint32(0); c < end; c, k = c+1, k+1 {
				scale, norm := s.lengths(c - st.first[i])
				if norm == 0 || f != nil && !f.passes(products[k], scale, norm, t.worst()) {
					continue
				}
				q, _, _ := s.vector(c - st.first[i])
				if cos := dot(q, scale, query) / norm; cos >= t.worst() {
					t.add(hit{min(1, max(-1, cos)), st.rowOf[c], c})
				}
			}
		}
	}
}

// cosine equals search.Cosine of the chunk's vector, whose length is stored.
func (s *segment) cosine(c uint32, query []float32) float32 {
	q, scale, norm := s.vector(c)
	if norm == 0 {
		return 0
	}
	return min(1, max(-1, dot(q, scale, query)/norm))
}
