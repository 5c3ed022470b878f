package local

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

// How much each leg nominates.
const (
	textChunks   = 200
	nameChunks   = 50
	vectorChunks = 50
	defaultFiles = 100
)

// Nominate runs three legs over the live chunks that Langs and Globs allow: the best by BM25, those that hold a look-up
// name, the nearest vectors. Files are taken from the three and from the wanted paths in turn, best first. The legs for text
// and names run beside the one for vectors.
func (s *snapshot) Nominate(ctx context.Context, q search.Query) (*search.Nominees, error) {
	done, err := s.use()
	if err != nil {
		return nil, err
	}
	defer done()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("search project %q: %w", s.project.ID, err)
	}
	n := &search.Nominees{Stats: s.st.stats}
	n.Stats.DF = make([]int, len(q.Words))
	q.Words = q.Words[:min(len(q.Words), search.MaxQueryWords)]
	q.Names = q.Names[:min(len(q.Names), search.MaxQueryWords)]
	allowed, err := s.st.filter(q.Langs, q.Globs)
	if err != nil {
		return nil, err
	}
	if s.ix.mode == search.Names {
		return s.byName(q, allowed, n)
	}
	vector := !isZero(q.Vector)
	n.NoVector = vector && len(q.Vector) != s.project.Model.Dims
	vector = vector && !n.NoVector

	var near []hit
	var nearErr error
	nearDone := make(chan struct{})
	if vector {
		go func() {
			defer close(nearDone)
			near, nearErr = s.st.nearest(ctx, q.Vector, allowed)
		}()
	} else {
		close(nearDone)
	}
	var text, names []hit
	err = guarded(func() error {
		text, names = s.st.lexicalLegs(ctx, q, allowed, n)
		return nil
	})
	<-nearDone
	if err != nil {
		return nil, s.fault(err)
	}
	if nearErr != nil { // what words have found is an answer
		if ctx.Err() == nil {
			return nil, s.fault(nearErr)
		}
		n.Partial, n.NoVector, vector = true, true, false
	}
	return s.gather(n, s.st.interleave(limit(q.Files), text, names, near, s.st.wanted(q.Paths, allowed)), q.Vector, vector)
}

// byName is Nominate by names alone.
func (s *snapshot) byName(q search.Query, allowed []bool, n *search.Nominees) (*search.Nominees, error) {
	n.NoVector = !isZero(q.Vector)
	var rows []int32
	err := guarded(func() error {
		rows = s.st.byTitle(q, allowed, n.Stats.DF, limit(q.Files))
		return nil
	})
	if err != nil {
		return nil, s.fault(err)
	}
	return s.gather(n, rows, nil, false)
}

// gather adds the files of rows to n.
func (s *snapshot) gather(n *search.Nominees, rows []int32, query []float32, vector bool) (*search.Nominees, error) {
	err := guarded(func() error {
		n.Files = s.st.candidates(rows, query, vector)
		return nil
	})
	if err != nil {
		return nil, s.fault(err)
	}
	return n, nil
}

// fault is the error of a Nominate that could not read its files: the next Open is to read and check them anew.
func (s *snapshot) fault(err error) error {
	s.ix.cache.distrust(s.st)
	return fmt.Errorf("search project %q: %w", s.project.ID, err)
}

func limit(files int) int {
	if files <= 0 {
		return defaultFiles
	}
	return files
}

func isZero(v []float32) bool {
	for _, x := range v {
		if x != 0 {
			return false
		}
	}
	return true
}

// filter tells for each entry whether it may be nominated; nil: all may.
func (st *state) filter(langs, globs []string) ([]bool, error) {
	for _, g := range globs {
		if !doublestar.ValidatePattern(g) {
			return nil, fmt.Errorf("path pattern %q: want a glob such as \"src/**/*.go\"", g)
		}
	}
	if len(langs) == 0 && len(globs) == 0 {
		return nil, nil
	}
	allowed, match := make([]bool, len(st.entries)), search.NewGlobs(globs)
	for i := range st.entries {
		e := &st.entries[i]
		ok := len(langs) == 0 || slices.Contains(langs, e.Language)
		allowed[i] = ok && (len(globs) == 0 || match.Match(e.Path))
	}
	return allowed, nil
}

// wanted are the files of paths that are there and allowed.
func (st *state) wanted(paths []code.Path, allowed []bool) []hit {
	var hits []hit
	for _, p := range paths {
		if row, ok := st.find(p); ok && (allowed == nil || allowed[row]) && st.entries[row].Chunks > 0 {
			hits = append(hits, hit{row: int32(row)})
		}
	}
	return hits
}

// interleave takes files from the legs in turn until there are n.
func (st *state) interleave(n int, legs ...[]hit) []int32 {
	var rows []int32
	seen := make(map[int32]bool, n)
	at := make([]int, len(legs))
	for open := true; open; {
		open = false
		for k, leg := range legs {
			for at[k] < len(leg) {
				row := leg[at[k]].row
				at[k]++
				if seen[row] {
					continue
				}
				if len(rows) == n {
					return rows
				}
				seen[row] = true
				rows = append(rows, row)
				open = true
				break
			}
		}
	}
	return rows
}

// candidates are files with their features, copied so that they outlive the mapping, and their cosines.
func (st *state) candidates(rows []int32, query []float32, vector bool) []search.Candidate {
	files, bytes, chunks := make([]search.Candidate, len(rows)), 0, 0
	for _, row := range rows {
		s := st.segs[st.locs[row].seg-1]
		first, end, blob := s.file(st.locs[row].ord)
		bytes += len(blob)
		chunks += int(end - first)
	}
	var blobs strings.Builder
	blobs.Grow(bytes)
	var cosines []float32
	if vector {
		cosines = make([]float32, 0, chunks)
	}
	for i, row := range rows {
		s := st.segs[st.locs[row].seg-1]
		first, end, blob := s.file(st.locs[row].ord)
		blobs.Write(blob)
		files[i] = search.Candidate{Entry: st.entries[row], Features: blobs.String()[blobs.Len()-len(blob):]}
		if !vector {
			continue
		}
		k := len(cosines)
		for c := first; c < end; c++ {
			cosines = append(cosines, s.cosine(c, query))
		}
		files[i].Cosines = cosines[k:len(cosines):len(cosines)]
	}
	return files
}
