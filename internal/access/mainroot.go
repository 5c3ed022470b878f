package access

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"

	"github.com/contextd/contextd/internal/search"
)

// mainRoot is the root that is meant where only the project is named, of its roots: the one that the working directory
// lies in; else the first one, or while that is gone the one that was indexed last. nil: it has none.
func mainRoot(roots []search.Project, project, dir string) *search.Project {
	if len(roots) == 0 {
		return nil
	}
	if p := innermost(roots, dir); p != nil {
		return p
	}
	there := make([]bool, len(roots))
	order := make([]int, len(roots))
	for i := range roots {
		info, err := os.Stat(roots[i].Root)
		there[i], order[i] = err == nil && info.IsDir(), i
	}
	best := slices.MaxFunc(order, func(i, k int) int {
		return cmp.Or(first(there[i], there[k]), first(roots[i].ID == project, roots[k].ID == project),
			roots[i].IndexedAt.Compare(roots[k].IndexedAt))
	})
	return &roots[best]
}

// innermost is the innermost root that a folder lies in; nil if there is none.
func innermost(roots []search.Project, dir string) (best *search.Project) {
	if dir == "" {
		return nil
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil
	}
	for i := range roots {
		p := &roots[i]
		if rel, err := filepath.Rel(p.Root, real); err == nil && filepath.IsLocal(rel) &&
			(best == nil || len(p.Root) > len(best.Root)) {
			best = p
		}
	}
	return best
}

// first compares what is so with what is not: what is so is greater.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
