package githist

import (
	"cmp"
	"math"
	"slices"

	"github.com/contextd/contextd/internal/code"
)

// How notes are searched: BM25, and how many of the best point at files.
const (
	k1        = 1.2
	b         = .75
	bestNotes = 60
	fullWords = 8 // a note that has the most telling ones of a question needs no more
)

// Hit is a file that notes point at.
type Hit struct {
	Path  code.Path
	Score float64 // from 0 to about 1: how much notes that changed it read like the question
}

// Hits are files that notes point at, best first.
type Hits []Hit

// Paths are the paths of the n best.
func (h Hits) Paths(n int) []code.Path {
	out := make([]code.Path, 0, min(n, len(h)))
	for _, x := range h[:min(n, len(h))] {
		out = append(out, x.Path)
	}
	return out
}

// Scores are the scores by path.
func (h Hits) Scores() map[code.Path]float64 {
	out := make(map[code.Path]float64, len(h))
	for _, x := range h {
		out[x.Path] = x.Score
	}
	return out
}

// scoredNote is a note that holds words of the question.
type scoredNote struct {
	part  *Part
	note  int
	score float64 // share of what the question could give at most
}

// Search finds the files that the notes most like a question changed, best first. words are distinct.
//
// A note's score is its BM25 as a share of the greatest that the fullWords most telling words of the question could
// reach; it falls to each file that the note changed, divided by the root of their number; a file has the root of the
// sum of squares over the bestNotes best.
func Search(words []code.TermID, parts ...*Part) Hits {
	parts = slices.DeleteFunc(slices.Clone(parts), func(p *Part) bool { return p == nil || p.notes == 0 })
	notes, length := 0, 0
	for _, p := range parts {
		notes, length = notes+p.notes, length+p.length
	}
	if notes == 0 {
		return nil
	}
	scores, norms := make([][]float64, len(parts)), make([][]float64, len(parts))
	for i, p := range parts {
		scores[i], norms[i] = make([]float64, p.notes), make([]float64, p.notes)
		for note := range norms[i] {
			norms[i][note] = k1 * (1 - b + b*float64(p.lengthOf(note))*float64(notes)/float64(max(length, 1)))
		}
	}
	worth := make([]float64, 0, len(words)) // of each word
	for _, w := range words {
		df, at := 0, make([]int, len(parts))
		for i, p := range parts {
			if at[i] = p.find(w); at[i] >= 0 {
				df += p.documentFrequency(at[i])
			}
		}
		idf := math.Log(1 + (float64(notes-df)+.5)/(float64(df)+.5))
		worth = append(worth, idf)
		for i, p := range parts {
			if at[i] < 0 {
				continue
			}
			scores, norms := scores[i], norms[i]
			p.postings(at[i], func(note, n int) {
				tf := float64(n)
				scores[note] += idf * tf / (tf + norms[note])
			})
		}
	}
	best := make([]scoredNote, 0, bestNotes+1) // descending; of equal ones the newer first
	for i, p := range parts {
		for note, s := range scores[i] {
			if s == 0 || len(best) == bestNotes && s <= best[bestNotes-1].score {
				continue
			}
			at, _ := slices.BinarySearchFunc(best, s, func(have scoredNote, s float64) int {
				if have.score >= s {
					return -1
				}
				return 1
			})
			best = slices.Insert(best, at, scoredNote{p, note, s})
			best = best[:min(len(best), bestNotes)]
		}
	}
	slices.SortFunc(worth, func(a, b float64) int { return cmp.Compare(b, a) })
	most := 0.0
	for _, idf := range worth[:min(len(worth), fullWords)] {
		most += idf
	}
	for i := range best {
		best[i].score = min(best[i].score/most, 1)
	}
	return scoreFiles(best)
}

// scoreFiles sums the scores of notes for each file that they changed.
func scoreFiles(found []scoredNote) Hits {
	sum := make(map[code.Path]float64)
	for _, f := range found {
		n := f.part.files(f.note, func(uint64) {})
		f.part.files(f.note, func(id uint64) {
			if path := f.part.path(id); path != "" {
				sum[path] += f.score * f.score / float64(n)
			}
		})
	}
	hits := make(Hits, 0, len(sum))
	for path, x := range sum {
		hits = append(hits, Hit{path, math.Sqrt(x)})
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Path, b.Path))
	})
	return hits
}
