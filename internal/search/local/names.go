package local

import (
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

// byTitle finds the n files whose names hold most of a query; in df it counts the files that hold each word.
func (st *state) byTitle(q search.Query, allowed []bool, df []int, n int) []int32 {
	m := search.NewNameMatch(q)
	for _, id := range m.Terms() {
		l := st.collect(titleKey(id))
		l.each(st, func(row int32) { m.Add(row, id) })
	}
	rows, counts := m.Best(st.stats.Files, func(row int32) code.Path { return st.entries[row].Path },
		func(row int32) bool { return allowed == nil || allowed[row] }, n)
	copy(df, counts)
	return rows
}
