package top

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/width"

	"github.com/contextd/contextd/internal/safetext"
)

type column struct {
	name  string
	right bool // aligned there
	max   int  // widest cell; 0: any
	drop  int  // the column that goes first in a narrow terminal has the highest; 0: it stays
}

type table struct {
	columns []column
	rows    [][]string
}

func (t *table) row(cells ...string) {
	for i, c := range cells {
		c = clean(c)
		if m := t.columns[i].max; m > 0 {
			c = fit(c, m)
		}
		cells[i] = c
	}
	t.rows = append(t.rows, cells)
}

// lines are the table's head and its first n rows in aligned columns; limit is the width of the terminal, 0: any.
func (t *table) lines(limit, n int, none string) []string {
	if len(t.rows) == 0 {
		return []string{none}
	}
	rest := 0
	if n < len(t.rows) {
		n = max(0, n-1) // the last line tells how many are left out
		rest = len(t.rows) - n
	}
	head := make([]string, len(t.columns))
	for i, c := range t.columns {
		head[i] = c.name
	}
	rows := append([][]string{head}, t.rows[:n]...)
	widths := make([]int, len(t.columns))
	for _, row := range rows {
		for i, c := range row {
			widths[i] = max(widths[i], cells(c))
		}
	}
	keep := t.fitting(widths, limit)
	var out []string
	for _, row := range rows {
		var b strings.Builder
		for i, c := range row {
			if !keep[i] {
				continue
			}
			if b.Len() > 0 {
				b.WriteString("  ")
			}
			pad := strings.Repeat(" ", widths[i]-cells(c))
			if t.columns[i].right {
				b.WriteString(pad + c)
			} else {
				b.WriteString(c + pad)
			}
		}
		out = append(out, strings.TrimRight(b.String(), " "))
	}
	if rest > 0 {
		out = append(out, fmt.Sprintf("%d more", rest))
	}
	return out
}

// fitting chooses the columns that fit into limit cells. The last one may be cut, down to the width of its name.
func (t *table) fitting(widths []int, limit int) []bool {
	keep := make([]bool, len(widths))
	for i := range keep {
		keep[i] = true
	}
	for limit > 0 {
		sum, last, worst := 0, 0, -1
		for i, w := range widths {
			if !keep[i] {
				continue
			}
			sum, last = sum+w+2, i
			if d := t.columns[i].drop; d > 0 && (worst < 0 || d > t.columns[worst].drop) {
				worst = i
			}
		}
		if least := sum - 2 - widths[last] + min(widths[last], 2*len(t.columns[last].name)); least <= limit ||
			worst < 0 {
			break
		}
		keep[worst] = false
	}
	return keep
}

// clean is text on one line of which a terminal obeys nothing.
func clean(text string) string { return safetext.Line(text) }

// cells is how much room text takes on a terminal.
func cells(text string) (n int) {
	for _, r := range text {
		n += cellsOf(r)
	}
	return n
}

func cellsOf(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// fit cuts text to at most n cells; 0: any.
func fit(text string, n int) string {
	if n == 0 || len(text) <= n || cells(text) <= n {
		return text
	}
	used := 0
	for i, r := range text {
		if used += cellsOf(r); used > n-1 { // one for the mark
			return text[:i] + "…"
		}
	}
	return text
}
