package rank

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// companyFiles is how many of the best candidates keep company.
const companyFiles = 20

// keepCompany tells of each candidate how many of the best, judged by all other features, stand in the same part of the
// tree: where a repository holds sibling packages, the right file stands where most of the answer does.
func (s *scorer) keepCompany(files []File, rows []row) {
	if features()[company].Weights[s.q.Shape] == 0 {
		return
	}
	scores, order := make([]float64, len(rows)), make([]int, len(rows))
	for i := range rows {
		scores[i], order[i] = s.score(&rows[i]), i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(files[a].Path, files[b].Path))
	})
	sums := make(map[string]float64, companyFiles)
	share := make([]float64, len(rows))
	for _, i := range order[:min(companyFiles, len(order))] {
		if scores[i] <= 0 {
			break
		}
		share[i] = scores[i] / scores[order[0]]
		sums[partOf(files[i].Path)] += share[i]
	}
	for i := range rows {
		rows[i].v[company] = math.Log1p(max(sums[partOf(files[i].Path)]-share[i], 0)) / 3
	}
}

// partOf is the part of the tree that a file stands in: the first two directories of its path.
func partOf(p code.Path) string {
	end := 0
	for range 2 {
		i := strings.IndexByte(p[end:], '/')
		if i < 0 {
			break
		}
		end += i + 1
	}
	return p[:end]
}
