package local

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

// allowedFiles reports for each entry whether it may be nominated; nil: all may.
func (st *state) allowedFiles(langs, globs []string) ([]bool, error) {
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

// named are the first files that a query names.
func (st *state) named(q search.Query) (rows []int32, err error) {
	if len(q.Named) == 0 {
		return nil, nil
	}
	match, err := st.allowedFiles(q.Langs, q.Named)
	for row := range match {
		if match[row] && st.entries[row].Chunks > 0 && len(rows) < fileLimit(q.Files) {
			rows = append(rows, int32(row))
		}
	}
	return rows, err
}

// wantedFiles returns the files of paths that exist and are allowed.
func (st *state) wantedFiles(paths []code.Path, allowed []bool) []hit {
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
		_, first, end, blob := st.file(row)
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
		s, first, end, blob := st.file(row)
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
