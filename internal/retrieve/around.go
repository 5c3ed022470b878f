package retrieve

import (
	"strings"
	"unicode/utf8"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/render"
	"github.com/contextd/contextd/internal/search/blob"
)

// spanOf is the chunks that lines first to last of a file lie in; false if none holds the first.
func spanOf(chunks []blob.ChunkFeatures, first, last int) (span code.Span, ok bool) {
	for i := range chunks {
		c := chunks[i].Span
		switch {
		case c.Contains(first):
			span, ok = c, true
		case ok && c.Start <= last:
			span.End = c.End
		}
	}
	return span, ok
}

// around is the definition around a line: the innermost one that encloses it, a function, type or section before a
// value.
func around(chunks []blob.ChunkFeatures, line int) (best code.Symbol) {
	minor := func(s code.Symbol) bool { return s.Kind == code.KindValue || s.Kind == code.KindDecl }
	for i := range chunks {
		for _, s := range chunks[i].Symbols {
			if s.Line > line || s.End < line || best.Name != "" && minor(s) && !minor(best) {
				continue
			}
			if best.Name == "" || minor(best) && !minor(s) || s.Line >= best.Line {
				best = s
			}
		}
	}
	return best
}

// window is which lines of a span to show around some of it: as many of those as fit from the first on, and then the
// lines around them, as many before as after. It begins with the definition on line def where that is near, and not
// with a blank line or the end of what comes before.
func window(lines []string, span, of code.Span, def int, limits render.Limits) (from, to int) {
	count, chars, bytes := 0, -1, -1
	take := func(n int) bool { // false if line n does not fit
		c, b := chars+1+utf8.RuneCountInString(lines[n-1]), bytes+1+len(lines[n-1])
		if c > limits.Chars || b > limits.Bytes || limits.Lines > 0 && count == limits.Lines {
			return false
		}
		count, chars, bytes = count+1, c, b
		return true
	}
	from, to = of.Start, of.Start
	if !take(from) {
		return from, to
	}
	for to < of.End && take(to+1) {
		to++
	}
	if to < of.End {
		return from, to
	}
	if def >= span.Start && def < from && length(lines[def-1:from-1]) <= (limits.Chars-chars)*2/3 {
		for from > def && take(from-1) {
			from--
		}
	}
	up, down := true, true
	if from == def {
		up = false
	}
	for up || down {
		if down = down && to < span.End && take(to+1); down {
			to++
		}
		if up = up && from > span.Start && take(from-1); up {
			from--
		}
	}
	for from < of.Start && closes(lines[from-1]) {
		count, chars, bytes = count-1, chars-1-utf8.RuneCountInString(lines[from-1]), bytes-1-len(lines[from-1])
		from++
	}
	for to < span.End && take(to+1) {
		to++
	}
	for to > of.End && strings.TrimSpace(lines[to-1]) == "" {
		to--
	}
	return from, to
}

// length is how many characters lines take.
func length(lines []string) (n int) {
	for _, l := range lines {
		n += 1 + utf8.RuneCountInString(l)
	}
	return n
}

// closes reports whether a line is blank or ends what stands before it, and so is no line to begin with.
func closes(line string) bool {
	t := strings.TrimRight(strings.TrimSpace(line), ";,")
	return strings.Trim(t, ")]}") == "" || t == "end"
}
