package local

import (
	"math"
	"slices"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/search"
)

// pathTerms are the terms of a path: the look-up term of the file's stem, the words of the stem and of the folders.
func pathTerms(p code.Path) []code.TermID {
	stem := lexical.FileStem(p)
	ids := []code.TermID{lexical.FileName(lexical.Join(stem)).ID}
	for _, part := range append(lexical.Dirs(p), stem) {
		lexical.Words(part, func(w string) {
			if id := lexical.Word(w).ID; !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		})
	}
	return ids
}

// byPath finds the n files whose paths hold most of a query; in df it counts the files that hold each word.
func (st *state) byPath(q search.Query, allowed []bool, df []int, n int) []int32 {
	st.pathsOnce.Do(func() {
		st.paths = make([][]code.TermID, len(st.entries))
		for i := range st.entries {
			if st.locs[i].seg > 0 {
				st.paths[i] = pathTerms(st.entries[i].Path)
			}
		}
	})
	t := top{n: n}
	scores := make([]float32, len(st.entries))
	for i, terms := range [][]code.Term{q.Words, q.Names} {
		for k, term := range terms {
			var rows []int
			for row, ids := range st.paths {
				if slices.Contains(ids, term.ID) {
					rows = append(rows, row)
				}
			}
			if i == 0 {
				df[k] = len(rows)
			}
			for _, row := range rows {
				scores[row] += float32(math.Log(1 + float64(st.stats.Files)/float64(len(rows))))
			}
		}
	}
	for row, score := range scores {
		if score > 0 && (allowed == nil || allowed[row]) {
			t.offer(hit{score: score, row: int32(row)})
		}
	}
	var rows []int32
	for _, h := range t.sorted() {
		rows = append(rows, h.row)
	}
	return rows
}
