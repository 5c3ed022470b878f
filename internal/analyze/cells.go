package analyze

import (
	"slices"
	"strconv"
	"strings"

	"github.com/contextd/contextd/internal/chunker"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/notebook"
)

// maxLineSymbols is the number of symbols that one line adds at most.
const maxLineSymbols = 1000

// cellName is how the section of a cell begins; its number follows.
const cellName = "cell "

// addCells adds to the chunks of a notebook's script what its lines alone do not tell: each cell is a section named for
// its number ("cell 3"), a heading in one of text is a section, and definitions that the file holds within one line
// stand on that line.
func addCells(path code.Path, language string, chunks []code.Chunk) {
	inText := false
	var last *code.Symbol // the section of the cell that goes on
	for i := range chunks {
		c := &chunks[i]
		more := []code.Symbol(nil)
		line := c.Span.Start
		for s := range strings.Lines(c.Text) {
			n := len(more)
			for part := range strings.SplitSeq(strings.TrimSuffix(s, "\n"), notebook.Fold) {
				name := ""
				if number, isCode, ok := notebook.CellMark(part); ok {
					name, inText = cellName+strconv.Itoa(number), !isCode
				} else if inText {
					name = heading(part)
				}
				if name != "" && len(more)-n < maxLineSymbols {
					more = append(more, code.Symbol{Name: name, Kind: code.KindSection, Line: line, End: line})
				}
			}
			if strings.Contains(s, notebook.Fold) {
				more = append(more, symbolsInLine(path, language, s, line)...)
			}
			line++
		}
		if len(more) == 0 {
			continue
		}
		all := append(slices.Clone(c.Symbols), more...)
		slices.SortStableFunc(all, func(a, b code.Symbol) int { return a.Line - b.Line })
		c.Symbols = all
	}
	for i := range chunks { // a cell reaches to the next one
		for k := range chunks[i].Symbols {
			if s := &chunks[i].Symbols[k]; isCell(s) {
				if last != nil {
					last.End = max(last.Line, s.Line-1)
				}
				last = s
			}
		}
	}
	if last != nil {
		last.End = max(last.Line, chunks[len(chunks)-1].Span.End)
	}
}

// isCell reports whether a symbol is the section of a cell.
func isCell(s *code.Symbol) bool {
	return s.Kind == code.KindSection && strings.HasPrefix(s.Name, cellName)
}

// heading is the title of a line of Markdown that stands in a comment, "" if it is none.
func heading(line string) string {
	_, text, _ := strings.Cut(line, " ")
	title := strings.TrimLeft(text, "#")
	if n := len(text) - len(title); n == 0 || n > 6 || !strings.HasPrefix(title, " ") {
		return ""
	}
	return strings.TrimSpace(strings.TrimRight(title, "# "))
}

// symbolsInLine returns the definitions within one line of the file, all placed on that line.
func symbolsInLine(path code.Path, language, line string, number int) (out []code.Symbol) {
	for _, c := range chunker.Split(path, language, strings.ReplaceAll(line, notebook.Fold, "\n")) {
		for _, s := range c.Symbols {
			if s.Line > 1 && len(out) < maxLineSymbols { // those of the first line are known
				s.Line, s.End = number, number
				out = append(out, s)
			}
		}
	}
	return out
}
