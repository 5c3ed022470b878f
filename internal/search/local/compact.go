package local

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/contextd/contextd/internal/code"
)

// When segments are merged.
const (
	smallSegment = 16 << 20 // bytes of a segment that takes part in merges
	maxSmall     = 8        // small segments that may stay side by side
)

// compact drops segments without a live file, writes those again of which over half is dead, and merges small ones when
// there are too many. It changes the places in t and w.segs.
func (w *writer) compact(ctx context.Context, t *table) error {
	live := make([]uint32, len(w.segs)) // chunks
	files := make([]uint32, len(w.segs))
	index := indexOf(w.segs)
	for i, l := range t.locs {
		if at, ok := index[l.seg]; ok {
			live[at] += uint32(t.entries[i].Chunks)
			files[at]++
		}
	}
	var small, again []int
	for i, s := range w.segs {
		switch {
		case files[i] == 0:
		case 2*live[i] < s.chunks || 2*files[i] < s.files:
			again = append(again, i)
		case s.ref.size < smallSegment:
			small = append(small, i)
		}
	}
	if len(small)+len(again) > maxSmall {
		slices.SortStableFunc(small, func(a, b int) int { return int(w.segs[a].ref.size - w.segs[b].ref.size) })
		again = append(again, chooseMerge(w.segs, small, maxSmall/2)...)
	}
	slices.Sort(again)
	if len(again) > 0 {
		if err := w.merge(ctx, t, again); err != nil {
			return err
		}
		for _, i := range again {
			files[i] = 0
		}
	}
	w.drop(files)
	return nil
}

// chooseMerge takes from small, by size, the smallest until at most keep are left, and further ones as long as they are
// not larger than what is merged already: so a document is merged again only into something about twice as large.
func chooseMerge(segs []*segment, small []int, keep int) []int {
	n, sum := 0, int64(0)
	for n < len(small) && (len(small)-n > keep || segs[small[n]].ref.size <= sum) {
		sum += segs[small[n]].ref.size
		n++
	}
	return small[:n]
}

// drop takes the segments without a live file out of w.segs; files counts those of the first segments.
func (w *writer) drop(files []uint32) {
	var keep []*segment
	for i, s := range w.segs {
		if i < len(files) && files[i] == 0 {
			w.ix.cache.release(w.dir, s)
			continue
		}
		keep = append(keep, s)
	}
	w.segs = keep
}

// merge writes the live files of some segments, given by index, into one new segment and points t to it.
func (w *writer) merge(ctx context.Context, t *table, which []int) error {
	parts := make([]part, 0, len(which))
	for _, i := range which {
		parts = append(parts, part{segment: w.segs[i], rows: make([]int32, w.segs[i].files)})
		for k := range parts[len(parts)-1].rows {
			parts[len(parts)-1].rows[k] = -1
		}
	}
	place := map[uint32]int{}
	for k := range parts {
		place[parts[k].number] = k
	}
	for row, l := range t.locs {
		if k, ok := place[l.seg]; ok {
			parts[k].rows[l.ord] = int32(row)
		}
	}
	if err := w.ix.beforeStep("merge"); err != nil {
		return err
	}
	w.head.nextSeg++
	var ref segRef
	var ords map[int32]uint32
	err := recoverFault(func() (err error) {
		ref, ords, err = mergeSegments(ctx, w.dir, w.head.project.Model.Dims, w.mark(), parts, w.head.nextSeg, w.ix.beforeStep)
		return err
	})
	if err != nil {
		return err
	}
	if err := w.addSegment(ref); err != nil {
		return err
	}
	moved := slices.Sorted(maps.Keys(ords))
	for _, row := range moved {
		t.locs[row] = loc{w.segs[len(w.segs)-1].number, ords[row]}
	}
	t.over = unite(t.over, len(moved), func(k int) code.Path { return t.entries[moved[k]].Path })
	return nil
}

// part is a segment that is merged: the row of each of its files, -1: dead.
type part struct {
	*segment
	rows []int32
	to   []uint32 // number of each chunk in the new segment
	term int      // the next term to merge
}

const deadChunk = math.MaxUint32
