package render

import (
	"strings"
	"unicode/utf8"
)

const (
	ellipsis = "…" // stands where a part of a line was left out
	// maxSearched is how far into a line that is too long its best part is looked for, in bytes: as much as the index
	// reads.
	maxSearched = 4000
)

// Limits bound a snippet.
type Limits struct {
	Chars int // characters
	Bytes int
	Lines int // 0: any number
}

// Snippet is the part of a chunk to show within its limits, without a final line end. lines are the chunk's lines in
// UTF-8, without line ends, and first is the number of the first one; firstLine is the number of the first line shown.
// truncated tells that something other than blank lines around the text is missing.
//
// focus scores a line, or a part of a line that is too long: 0 for one without interest, more for a better one. It is
// called once a line. The line with the greatest score, the first of them, is always shown; around it stand the whole
// lines that bring the greatest sum of scores of those that begin well: with a declaration, the comment above it, the
// first statement of a block, another statement, and not inside of a list, a comment or a string as long as one of
// these fits. Where that leaves a choice, first the lines after and then those before are shown. If not even that line
// fits, its best part is shown, with "…" at each end that is not the line's own. Blank lines at the ends are dropped.
// The text is empty when all lines are blank or not one character fits.
func Snippet(
	lines []string, first int, focus func(line string) float64, limits Limits,
) (text string, firstLine int, truncated bool) {
	for len(lines) > 0 && blank(lines[0]) {
		lines, first = lines[1:], first+1
	}
	for len(lines) > 0 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 {
		return "", first, false
	}
	w := window{lines: lines, length: make([]int, len(lines)), scores: make([]float64, len(lines)), limits: limits}
	peak := 0
	for i, line := range lines {
		w.length[i] = utf8.RuneCountInString(line)
		if !blank(line) {
			if score := focus(line); score > 0 { // which NaN is not
				w.scores[i] = score
			}
		}
		if w.scores[i] > w.scores[peak] {
			peak = i
		}
	}
	if w.length[peak] > limits.Chars || len(lines[peak]) > limits.Bytes {
		return cut(lines[peak], focus, limits.Chars, limits.Bytes), first + peak, true
	}
	start, end := w.best(peak)
	for start < peak && blank(lines[start]) {
		start++
	}
	for end-1 > peak && blank(lines[end-1]) {
		end--
	}
	return strings.Join(lines[start:end], "\n"), first + start, start > 0 || end < len(lines)
}

// window is a run of lines and its limits.
type window struct {
	lines  []string
	length []int // in characters
	scores []float64
	limits Limits
}

// worth is what the scores of a window count by the rating of its first line.
var worth = [...]float64{inside: 1, element: 1, item: 1, statement: .8, opening: .9, declaration: 1}

// best returns the lines [start, end) around peak, which fits alone, in time linear in the number of lines.
func (w *window) best(peak int) (start, end int) {
	// From the earliest start that fits, the window slides down to the one that begins at peak, as long as it can be.
	r := run{window: w}
	r.add(peak)
	low, high := peak, peak+1
	for low > 0 && r.fits(low-1) {
		low--
		r.add(low)
	}
	for high < len(w.lines) && r.fits(high) {
		r.add(high)
		high++
	}
	if high-low == len(w.lines) {
		return low, high
	}
	ratings := rate(w.lines, peak)
	start, end, best := low, high, -1.0
	for ; low <= peak; low++ {
		for high < len(w.lines) && r.fits(high) {
			r.add(high)
			high++
		}
		sum, tier, than := r.sum*worth[ratings[low]], min(ratings[low], statement), min(ratings[start], statement)
		if tier > than || tier == than && sum >= best-1e-9 {
			// of equal ones the latest start: what follows a definition tells more than what precedes it
			start, end, best = low, high, sum
		}
		r.drop(low)
	}
	// At the end of the chunk the latest start leaves room before it.
	r = run{window: w}
	for i := start; i < end; i++ {
		r.add(i)
	}
	for i := start - 1; i >= 0 && r.fits(i); i-- {
		r.add(i)
		if ratings[i] >= ratings[start] {
			start = i
		}
	}
	return start, end
}

// run is what the lines of a window come to.
type run struct {
	*window
	count        int // lines
	chars, bytes int
	sum          float64 // of scores
}

// fits reports whether a further line is within the limits. A line end stands between two lines.
func (r *run) fits(i int) bool {
	return (r.limits.Lines == 0 || r.count < r.limits.Lines) &&
		r.chars+min(r.count, 1)+r.window.length[i] <= r.limits.Chars &&
		r.bytes+min(r.count, 1)+len(r.lines[i]) <= r.limits.Bytes
}

func (r *run) add(i int) {
	end := min(r.count, 1)
	r.count, r.chars, r.bytes, r.sum = r.count+1, r.chars+end+r.window.length[i], r.bytes+end+len(r.lines[i]),
		r.sum+r.scores[i]
}

func (r *run) drop(i int) {
	end := min(r.count-1, 1)
	r.count, r.chars, r.bytes, r.sum = r.count-1, r.chars-end-r.window.length[i], r.bytes-end-len(r.lines[i]),
		r.sum-r.scores[i]
}

func blank(line string) bool { return strings.TrimSpace(line) == "" }
