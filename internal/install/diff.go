package install

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/contextd/contextd/internal/safetext"
	"github.com/contextd/contextd/internal/secret"
)

const (
	diffContext = 2   // lines shown around a change
	diffWidth   = 160 // bytes shown of one line
	diffCells   = 1 << 20
	diffLines   = 500 // lines shown of a file
)

// Diff shows a change as a unified diff. Settings hold keys: secrets, and what may be one in lines that are not ours,
// are not shown, and a terminal obeys none of it.
func (c Change) Diff() string {
	var b strings.Builder
	from, to := c.Path, c.Path
	if c.Before == nil {
		from = "(no file)"
	}
	if c.After == nil {
		to = "(no file)"
	}
	if len(c.Run) > 0 {
		for _, argv := range c.Run {
			fmt.Fprintf(&b, "run %s\n", safetext.Line(strings.Join(argv, " ")))
		}
		return b.String()
	}
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", safetext.Line(from), safetext.Line(to))
	lines := compare(split(c.Before), split(c.After))
	foreign := map[string]bool{}
	for _, l := range split(c.Before) {
		foreign[normalizeLine(l)] = true
	}
	shown := 0
	for i := 0; i < len(lines); {
		if lines[i].mark == ' ' {
			i++
			continue
		}
		start, end, equal := max(0, i-diffContext), i, 0
		for end < len(lines) && equal <= 2*diffContext {
			if equal++; lines[end].mark != ' ' {
				equal = 0
			}
			end++
		}
		end -= max(0, equal-diffContext)
		olds, news := 0, 0
		for _, l := range lines[start:end] {
			if l.mark != '+' {
				olds++
			}
			if l.mark != '-' {
				news++
			}
		}
		fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", lines[start].old, olds, lines[start].new, news)
		for n, l := range lines[start:end] {
			if shown++; shown > diffLines {
				fmt.Fprintf(&b, "… %d more lines\n", end-start-n)
				return b.String()
			}
			text := strings.TrimRight(l.text, "\r\n")
			if len(text) > diffWidth {
				text = safetext.Cut(text, diffWidth) + " …"
			}
			if text, _ = secret.Redact(text); foreign[normalizeLine(l.text)] {
				text = hideKeys(text)
			}
			fmt.Fprintf(&b, "%c%s\n", l.mark, safetext.Line(text))
		}
		i = end
	}
	return b.String()
}

// longValue matches a quoted value in settings that may be somebody's key.
var longValue = regexp.MustCompile(`"[^"]{16,}"`)

// hideKeys leaves out long values with digits, keys of any maker, but for our own command.
func hideKeys(line string) string {
	return longValue.ReplaceAllStringFunc(line, func(v string) string {
		if strings.ContainsAny(v, "0123456789") && !strings.Contains(v, "retriever") {
			return `"…"`
		}
		return v
	})
}

// normalizeLine returns a line without the parts that an edit of a neighbouring line changes.
func normalizeLine(line string) string { return strings.TrimRight(line, ", \t\r\n") }

type diffLine struct {
	mark     byte // ' ', '-' or '+'
	text     string
	old, new int // numbers of this line
}

func split(data []byte) []string {
	var lines []string
	for l := range bytes.Lines(data) {
		lines = append(lines, string(l))
	}
	return lines
}

// compare pairs the lines of two texts: equal ones at the start and the end, and the longest common run of lines in
// between where that is small.
func compare(a, b []string) []diffLine {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out []diffLine
	old, now := 0, 0
	add := func(mark byte, text string) {
		out = append(out, diffLine{mark, text, old + 1, now + 1})
		if mark != '+' {
			old++
		}
		if mark != '-' {
			now++
		}
	}
	for _, l := range a[:head] {
		add(' ', l)
	}
	x, y := a[head:len(a)-tail], b[head:len(b)-tail]
	if len(x)*len(y) <= diffCells {
		common(x, y, add)
	} else {
		for _, l := range x {
			add('-', l)
		}
		for _, l := range y {
			add('+', l)
		}
	}
	for _, l := range a[len(a)-tail:] {
		add(' ', l)
	}
	return out
}

func common(x, y []string, add func(mark byte, text string)) {
	best := make([][]int32, len(x)+1) // of x[i:] and y[j:]
	for i := range best {
		best[i] = make([]int32, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i] == y[j] {
				best[i][j] = best[i+1][j+1] + 1
			} else {
				best[i][j] = max(best[i+1][j], best[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(x) || j < len(y) {
		switch {
		case i < len(x) && j < len(y) && x[i] == y[j]:
			add(' ', x[i])
			i, j = i+1, j+1
		case j == len(y) || i < len(x) && best[i+1][j] >= best[i][j+1]:
			add('-', x[i])
			i++
		default:
			add('+', y[j])
			j++
		}
	}
}
