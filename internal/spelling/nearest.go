package spelling

import (
	"cmp"
	"iter"
	"slices"
)

// maxCompared bounds how many words one look-up goes through.
const maxCompared = 300_000

// longLetters is the number of letters from which a word may be two mistakes away.
const longLetters = 9

// match is a word that is near the one that is looked up.
type match struct {
	word     string
	distance int
	common   int // letters that both begin with
	ends     int // letters that both end in
}

// Nearest are the words, at most most of them, that are spelt nearly like one that is not among them, in lower case:
// one letter more, less or other, or two neighbours that changed places; from 9 letters on two such mistakes. Both
// begin with the same letter, unless the first two changed places. The nearest come first, of those the ones that begin
// alike for longest, then those that end so, then by alphabet. Words under 4 letters are near nothing.
func Nearest(words iter.Seq[string], word string, most int) []string {
	if !isWord(word) || most <= 0 {
		return nil
	}
	within := 1
	if len(word) >= longLetters {
		within = 2
	}
	var best []match
	looks := 0
	for w := range words {
		if looks++; looks > maxCompared {
			break
		}
		if w == word || len(w) < len(word)-within || len(w) > len(word)+within || !beginsLike(w, word) || !isWord(w) {
			continue
		}
		d := distance(w, word, within)
		if d > within {
			continue
		}
		m := match{w, d, common(w, word), ends(w, word)}
		i, twice := slices.BinarySearchFunc(best, m, before)
		if twice || i == most {
			continue
		}
		if len(best) == most {
			best = best[:most-1]
		}
		best = slices.Insert(best, i, m)
	}
	var out []string
	for _, m := range best {
		out = append(out, m.word)
	}
	return out
}

func before(a, b match) int {
	return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(b.common, a.common), cmp.Compare(b.ends, a.ends), cmp.Compare(a.word, b.word))
}

// beginsLike reports whether two words begin with the same letter, or with the same two in another order.
func beginsLike(a, b string) bool {
	return len(a) > 1 && len(b) > 1 && (a[0] == b[0] || a[0] == b[1] && a[1] == b[0])
}

func common(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func ends(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// distance is the number of mistakes between two plain words, or more than within if it is more: a letter put in, left
// out or replaced, or two neighbours that changed places, no letter touched twice (optimal string alignment). Only what
// lies within so many places of the diagonal can count.
func distance(a, b string, within int) int {
	var room [3][mostLetters + 1]int
	two, one, row := &room[0], &room[1], &room[2]
	for k := range len(b) + 1 {
		one[k] = k
	}
	for i := 1; i <= len(a); i++ {
		from, to := max(1, i-within), min(len(b), i+within)
		row[0] = i
		if from > 1 {
			row[from-1] = within + 1
		}
		least := row[from-1]
		for k := from; k <= to; k++ {
			d := one[k-1]
			if a[i-1] != b[k-1] {
				d++
			}
			d = min(d, row[k-1]+1)
			if k < i+within { // else the place above lies outside
				d = min(d, one[k]+1)
			}
			if i > 1 && k > 1 && a[i-1] == b[k-2] && a[i-2] == b[k-1] {
				d = min(d, two[k-2]+1)
			}
			row[k] = d
			least = min(least, d)
		}
		if least > within {
			return within + 1
		}
		two, one, row = one, row, two
	}
	return min(one[len(b)], within+1)
}
