package render

import (
	"strings"
	"unicode/utf8"
)

const (
	mark = "…" // stands where a part of a line was left out
	// searched is how far into a line that is too long its best part is looked for, in bytes: as much as the index reads.
	searched = 4000
)

// Snippet is the part of a chunk to show: at most maxChars characters and maxBytes bytes of text, without a final line
// end. lines are the chunk's lines in UTF-8, without line ends, and first is the number of the first one; firstLine is
// the number of the first line shown. truncated tells that something other than blank lines around the text is missing.
//
// focus scores a line, or a part of a line that is too long: 0 for one without interest, more for a better one. It is
// called once a line. The line with the greatest score, the first of them, is always shown; around it stand the whole
// lines that bring the greatest sum of scores, and where that leaves a choice, first the lines after and then those
// before. If not even that line fits, its best part is shown, with "…" at each end that is not the line's own. Blank
// lines at the ends are dropped. The text is empty when all lines are blank or not one character fits.
func Snippet(lines []string, first int, focus func(line string) float64, maxChars, maxBytes int) (text string, firstLine int, truncated bool) {
	for len(lines) > 0 && blank(lines[0]) {
		lines, first = lines[1:], first+1
	}
	for len(lines) > 0 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 {
		return "", first, false
	}
	w := window{lines: lines, chars: make([]int, len(lines)), scores: make([]float64, len(lines)), maxChars: maxChars, maxBytes: maxBytes}
	peak := 0
	for i, line := range lines {
		w.chars[i] = utf8.RuneCountInString(line)
		if !blank(line) {
			if score := focus(line); score > 0 { // which NaN is not
				w.scores[i] = score
			}
		}
		if w.scores[i] > w.scores[peak] {
			peak = i
		}
	}
	if w.chars[peak] > maxChars || len(lines[peak]) > maxBytes {
		return cut(lines[peak], focus, maxChars, maxBytes), first + peak, true
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
	lines              []string
	chars              []int
	scores             []float64
	maxChars, maxBytes int
}

// best returns the lines [start, end) around peak, which fits alone, in time linear in the number of lines.
func (w *window) best(peak int) (start, end int) {
	// From the earliest start that fits, the window slides down to the one that begins at peak, as long as it can be.
	low, high := peak, peak+1
	chars, bytes, sum := w.chars[peak], len(w.lines[peak]), w.scores[peak]
	fits := func(i int) bool { return chars+1+w.chars[i] <= w.maxChars && bytes+1+len(w.lines[i]) <= w.maxBytes }
	add := func(i int) { chars, bytes, sum = chars+1+w.chars[i], bytes+1+len(w.lines[i]), sum+w.scores[i] }
	for low > 0 && fits(low-1) {
		low--
		add(low)
	}
	start, end, best := low, high, -1.0
	for ; low <= peak; low++ {
		for high < len(w.lines) && fits(high) {
			add(high)
			high++
		}
		if sum >= best-1e-9 { // of equal ones the latest start: what follows a definition tells more than what precedes it
			start, end, best = low, high, max(sum, best)
		}
		chars, bytes, sum = chars-1-w.chars[low], bytes-1-len(w.lines[low]), sum-w.scores[low]
	}
	// At the end of the chunk the latest start leaves room before it.
	chars, bytes = -1, -1
	for i := start; i < end; i++ {
		chars, bytes = chars+1+w.chars[i], bytes+1+len(w.lines[i])
	}
	for start > 0 && fits(start-1) {
		start--
		add(start)
	}
	return start, end
}

func blank(line string) bool { return strings.TrimSpace(line) == "" }
