package githist

import (
	"cmp"
	"slices"

	"github.com/contextd/contextd/internal/code"
)

// When two files count as changed together.
const (
	togetherTimes = 3  // at least
	togetherShare = .3 // of the changes of the first, at least
)

// Companion is a file that usually changes along with another.
type Companion struct {
	Path  code.Path `json:"path"`
	Share float64   `json:"share"` // of the other's changes that changed it as well
	Times int       `json:"times"`
}

// Companions lists the n files that most often changed along with path, most often first.
func Companions(path code.Path, n int, parts ...*Part) []Companion {
	changes, together := 0, make(map[code.Path]int)
	for _, p := range parts {
		if p == nil {
			continue
		}
		want := p.number(path)
		if want < 0 {
			continue
		}
		for note := range p.notes {
			has := false
			p.files(note, func(id uint64) { has = has || id == uint64(want) })
			if !has {
				continue
			}
			changes++
			p.files(note, func(id uint64) {
				if id != uint64(want) {
					together[p.path(id)]++
				}
			})
		}
	}
	var out []Companion
	for other, times := range together {
		if share := float64(times) / float64(changes); times >= togetherTimes && share >= togetherShare {
			out = append(out, Companion{other, share, times})
		}
	}
	slices.SortFunc(out, func(a, b Companion) int {
		return cmp.Or(cmp.Compare(b.Times, a.Times), cmp.Compare(a.Path, b.Path))
	})
	return out[:min(len(out), n)]
}

// number is the number of a path; -1: no note changed it.
func (p *Part) number(path code.Path) int {
	for i := range p.paths {
		if p.path(uint64(i)) == path {
			return i
		}
	}
	return -1
}
