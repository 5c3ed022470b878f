package local

import (
	"errors"
	"io/fs"
	"path/filepath"
	"sync"

	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/statedir"
)

// BM25 of the text leg, with the constants of RediSearch's BM25STD: both backings nominate alike.
const (
	k1 = 1.2
	b  = 0.5
)

// state is a project as one CURRENT describes it, ready to be searched. It does not change.
type state struct {
	dir  string
	head *head
	table
	segs  []*segment
	index map[uint32]int // of segs by their number
	first []uint32       // number of the first chunk of each segment, counted over all segments
	rowOf []int32        // entry of each chunk; -1: dead
	dead  []bool         // of each segment: some of its chunks are
	norms []float32      // of each chunk, the part of BM25 that its length makes
	stats search.Stats
	refs  int // guarded by cache.mu

	once     sync.Once // prepares what searching needs: from first to stats
	unusable error     // what prepare said
}

// ready makes sure that the state is prepared for searching.
func (st *state) ready() error {
	st.once.Do(func() { st.unusable = recoverFault(st.prepare) })
	return st.unusable
}

// load gives the state of a project's folder. The caller ends its use by cache.done. fs.ErrNotExist: there is none;
// errDamaged in the chain: it is damaged.
func (ix *Index) load(dir, project string) (*state, error) {
	for attempt := 0; ; attempt++ {
		h, err := readHead(dir)
		if err != nil {
			return nil, err
		}
		if h.project.ID != project {
			return nil, damagedf("CURRENT is of project %q", h.project.ID)
		}
		if st := ix.cache.state(dir, h.raw); st != nil {
			return st, nil
		}
		st, err := ix.read(dir, currentName)
		if err == nil {
			ix.cache.setState(st)
			return st, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		// A segment is gone: a writer has committed meanwhile, or somebody else has removed it.
		if now, herr := readHead(dir); herr == nil && string(now.raw) == string(h.raw) || attempt == 100 {
			return nil, damagedf("%v", err)
		}
	}
}

// read makes the state from CURRENT, or NEXT, and its segments; it has one user.
func (ix *Index) read(dir, name string) (*state, error) {
	data, err := statedir.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	h, rows, err := parseCurrent(data)
	if err != nil {
		return nil, err
	}
	base := ix.cache.earlier(dir, h)
	if base == nil {
		if base, err = readBase(dir, h.base); err != nil {
			return nil, err
		}
	}
	st := &state{dir: dir, head: h, table: *base.with(rows), refs: 1}
	known, unknown := readChecked(dir), int64(0)
	for _, ref := range h.segs {
		s, err := ix.cache.segment(dir, ref, func(file string) bool {
			if file != "" && known[ref.name] == file {
				return true
			}
			unknown += ref.size
			return false
		})
		if err != nil {
			ix.cache.release(dir, st.segs...)
			return nil, err
		}
		st.segs = append(st.segs, s)
	}
	st.index = indexOf(st.segs)
	if err := st.ready(); err != nil {
		ix.cache.release(dir, st.segs...)
		return nil, err
	}
	if unknown > ix.uncheckedLimit && name == currentName {
		ix.noteChecked(dir, st.segs)
	}
	return st, nil
}

// prepare checks that the manifest fits the segments and computes what searching needs.
func (st *state) prepare() error {
	dims := st.head.project.Model.Dims
	chunks := uint32(0)
	st.first = make([]uint32, len(st.segs))
	for i, s := range st.segs {
		if int(s.dims) != dims {
			return damagedf("segment %q has vectors of %d dimensions, not %d", s.ref.name, s.dims, dims)
		}
		st.first[i] = chunks
		chunks += s.chunks
	}
	st.rowOf = make([]int32, chunks)
	for i := range st.rowOf {
		st.rowOf[i] = -1
	}
	files, size := 0, int64(0)
	for i := range st.entries {
		e, l := &st.entries[i], st.locs[i]
		if l.seg == 0 {
			if e.Skip == "" {
				return damagedf("the entry of %q names no segment", e.Path)
			}
			continue
		}
		at, ok := st.index[l.seg]
		if !ok || l.ord >= st.segs[at].files {
			return damagedf("the entry of %q points at no file of a segment", e.Path)
		}
		s := st.segs[at]
		first, end, _ := s.file(l.ord)
		if int(end-first) != e.Chunks {
			return damagedf("the entry of %q counts %d chunks, its segment %d", e.Path, e.Chunks, end-first)
		}
		for c := st.first[at] + first; c < st.first[at]+end; c++ {
			if st.rowOf[c] >= 0 {
				return damagedf("two entries name the chunks of %q", e.Path)
			}
			st.rowOf[c] = int32(i)
		}
		files++
		size += e.Size
		st.stats.Chunks += e.Chunks
		for k, n := range e.Lens {
			st.stats.Lens[k] += int64(n)
		}
	}
	st.stats.Files = files
	if p := &st.head.project; p.Files != files || p.Chunks != st.stats.Chunks || p.Bytes != size {
		return damagedf("the record counts other files than the manifest")
	}
	total := int64(0) // of chunkLen over all live chunks
	st.dead = make([]bool, len(st.segs))
	for i, s := range st.segs {
		for c, row := range st.rowsOf(i) {
			if row < 0 {
				st.dead[i] = true
				continue
			}
			total += int64(s.chunkLen(uint32(c)))
		}
	}
	perToken := 0.0 // b ÷ average length
	if total > 0 {
		perToken = b * float64(st.stats.Chunks) / float64(total)
	}
	st.norms = make([]float32, chunks)
	for i, s := range st.segs {
		norms := st.norms[st.first[i]:][:s.chunks]
		for c := range norms {
			norms[c] = float32(k1 * (1 - b + perToken*float64(s.chunkLen(uint32(c)))))
		}
	}
	return nil
}

// rowsOf is the entry of each chunk of a segment, given by index.
func (st *state) rowsOf(i int) []int32 { return st.rowOf[st.first[i]:][:st.segs[i].chunks] }

// file gives the segment of an entry's file, its chunks there, first and past the last, and its feature blob.
func (st *state) file(row int32) (s *segment, first, end uint32, blob []byte) {
	l := st.locs[row]
	s = st.segs[st.index[l.seg]]
	first, end, blob = s.file(l.ord)
	return s, first, end, blob
}

// indexOf is the index of each segment by its number.
func indexOf(segs []*segment) map[uint32]int {
	index := make(map[uint32]int, len(segs))
	for i, s := range segs {
		index[s.number] = i
	}
	return index
}
