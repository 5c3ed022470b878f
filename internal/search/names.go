package search

import (
	"cmp"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
)

// headChars is how many characters of a file's beginning belong to the name index.
const headChars = 100

// NameTerms are the terms by which a file is found when only names are searched, each once: the look-up term of its
// stem, the words of its stem and of the folders above it, and those of its first 100 characters, which often say what
// it is.
func NameTerms(f *code.File) []code.TermID {
	ids := make([]code.TermID, 0, 24)
	words := func(ident string) {
		lexical.Words(ident, func(w string) {
			if id := lexical.Word(w).ID; !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		})
	}
	stem := lexical.FileStem(f.Path)
	ids = append(ids, lexical.FileName(lexical.Join(stem)).ID)
	words(stem)
	for _, dir := range lexical.Dirs(f.Path) {
		words(dir)
	}
	if len(f.Chunks) == 0 {
		return ids
	}
	text := f.Chunks[0].Text
	limit := headEnd(text)
	for from := 0; ; {
		start, end := lexical.NextIdent(text, from)
		if start >= limit || end > limit { // one that is cut says nothing
			return ids
		}
		words(text[start:end])
		from = end
	}
}

// headEnd is where the first headChars characters of text end.
func headEnd(text string) int {
	n := 0
	for i := range text {
		if n == headChars {
			return i
		}
		n++
	}
	return len(text)
}

// NameMatch finds the files whose names hold most of a query. A backing calls Add for each file and term that it holds;
// Best then ranks them. A rare word counts for more than a common one, and a whole name as much as the rarest word.
type NameMatch struct {
	words  int                       // of the query
	filter [16]uint64                // a bit for the low 10 bits of each term's id: most terms of most files are turned away here
	terms  map[code.TermID][2]uint64 // places among the query's words and names
	files  map[int32]int             // place in found
	found  []nameHit
}

type nameHit struct {
	file         int32
	words, names uint64 // those it holds, by place
	score        float64
}

// NewNameMatch returns a NameMatch for one query.
func NewNameMatch(q Query) *NameMatch {
	m := &NameMatch{words: len(q.Words), terms: map[code.TermID][2]uint64{}, files: map[int32]int{}}
	for kind, terms := range [][]code.Term{q.Words, q.Names} {
		for i, t := range terms[:min(len(terms), MaxQueryWords)] {
			places := m.terms[t.ID]
			places[kind] |= 1 << i
			m.terms[t.ID] = places
			m.filter[t.ID>>6&15] |= 1 << (t.ID & 63)
		}
	}
	return m
}

// Terms returns the terms of the query, each once.
func (m *NameMatch) Terms() []code.TermID { return slices.Collect(maps.Keys(m.terms)) }

// Add records that a file holds a term, which need not be one of the query.
func (m *NameMatch) Add(file int32, id code.TermID) {
	if m.filter[id>>6&15]>>(id&63)&1 == 0 {
		return
	}
	places, ok := m.terms[id]
	if !ok {
		return
	}
	at := len(m.found) - 1
	if at < 0 || m.found[at].file != file {
		if at, ok = m.files[file]; !ok {
			at = len(m.found)
			m.found = append(m.found, nameHit{file: file})
			m.files[file] = at
		}
	}
	m.found[at].words |= places[0]
	m.found[at].names |= places[1]
}

// Best are the files that keep lets through, of all files, the best first and equal ones by path, at most n. df counts
// the files that hold each word of the query, whatever keep says.
func (m *NameMatch) Best(all int, path func(file int32) code.Path, keep func(file int32) bool, n int) (files []int32, df []int) {
	df = make([]int, m.words)
	for i := range m.found {
		for b := m.found[i].words; b != 0; b &= b - 1 {
			df[bits.TrailingZeros64(b)]++
		}
	}
	weights := make([]float64, m.words)
	for k := range weights {
		weights[k] = math.Log(1 + float64(all)/float64(max(df[k], 1)))
	}
	whole := math.Log(1 + float64(all))
	n = max(n, 0)
	best := m.found[:0] // the n best so far in order, and what came since and may be better than the last of them
	sorted := false
	for _, h := range m.found {
		if !keep(h.file) {
			continue
		}
		for b := h.words; b != 0; b &= b - 1 {
			h.score += weights[bits.TrailingZeros64(b)]
		}
		h.score += whole * float64(bits.OnesCount64(h.names))
		if sorted && n > 0 && compareHits(path, h, best[n-1]) > 0 {
			continue
		}
		if best = append(best, h); len(best) == 2*n {
			slices.SortFunc(best, func(a, b nameHit) int { return compareHits(path, a, b) })
			best, sorted = best[:n], true
		}
	}
	slices.SortFunc(best, func(a, b nameHit) int { return compareHits(path, a, b) })
	for _, h := range best[:min(n, len(best))] {
		files = append(files, h.file)
	}
	return files, df
}

func compareHits(path func(file int32) code.Path, a, b nameHit) int {
	if a.score != b.score {
		return cmp.Compare(b.score, a.score)
	}
	return strings.Compare(path(a.file), path(b.file))
}
