package local

import "slices"

// hit is a chunk that a leg has found.
type hit struct {
	score float32
	row   int32  // its entry
	chunk uint32 // its number over all segments
}

// before orders hits: best first, ties by path and then by place in the file.
func (a hit) before(b hit) bool {
	if a.score != b.score {
		return a.score > b.score
	}
	if a.row != b.row {
		return a.row < b.row
	}
	return a.chunk < b.chunk // of one file, so of one segment
}

// top keeps the best n of the hits offered to it: a heap with the worst first.
type top struct {
	n    int
	hits []hit
}

func (t *top) add(h hit) {
	if len(t.hits) < t.n {
		t.hits = append(t.hits, h)
		for i := len(t.hits) - 1; i > 0; {
			up := (i - 1) / 2
			if !t.hits[up].before(t.hits[i]) {
				break
			}
			t.hits[up], t.hits[i] = t.hits[i], t.hits[up]
			i = up
		}
		return
	}
	if !h.before(t.hits[0]) {
		return
	}
	t.hits[0] = h
	for i := 0; ; {
		worst := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(t.hits); c++ {
			if t.hits[worst].before(t.hits[c]) {
				worst = c
			}
		}
		if worst == i {
			return
		}
		t.hits[i], t.hits[worst] = t.hits[worst], t.hits[i]
		i = worst
	}
}

// worst is the score that a hit must reach to be taken.
func (t *top) worst() float32 {
	if len(t.hits) < t.n {
		return -2
	}
	return t.hits[0].score
}

// sorted is what was kept, best first.
func (t *top) sorted() []hit {
	slices.SortFunc(t.hits, func(a, b hit) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	return t.hits
}
