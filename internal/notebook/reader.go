package notebook

import (
	"encoding/json"
	"strings"
)

// Bounds of what is read.
const (
	maxDepth = 200 // of nested values
	maxCells = 100_000
)

// cell is one cell of a notebook.
type cell struct {
	kind   string // "code", "markdown", "raw", "heading"
	line   int    // index of the line of the file on which it begins
	pieces []piece
}

// piece is a part of a cell's source that stands on one line of the file.
type piece struct {
	line int
	text string
}

// frame is a value that is being read.
type frame struct {
	object bool
	key    string // of the member that is being read
	atKey  bool   // a key is next
}

// reader reads a notebook token by token: nothing but the cells is kept, and no depth takes stack.
type reader struct {
	text             string
	d                *json.Decoder
	stack            []frame
	offset, line     int // how far lines are counted
	cells            []cell
	inCell           int // depth of the cell that is being read, 0 outside
	language, kernel string
	found            bool // it has a list of cells
}

func newReader(text string) *reader {
	return &reader{text: text, d: json.NewDecoder(strings.NewReader(text))}
}

// read reports whether the text is a notebook.
func (r *reader) read() bool {
	for {
		token, err := r.d.Token()
		if err != nil { // the end among others
			return false
		}
		if len(r.stack) == 0 && token != json.Delim('{') {
			return false
		}
		switch t := token.(type) {
		case json.Delim:
			if t == '{' || t == '[' {
				if !r.open(t == '{') {
					return false
				}
				continue
			}
			if r.stack = r.stack[:len(r.stack)-1]; len(r.stack) < r.inCell {
				r.inCell = 0
			}
			if len(r.stack) == 0 {
				return r.found
			}
			r.ended()
		case string:
			if f := r.top(); f.object && f.atKey {
				f.key, f.atKey = t, false
				continue
			}
			r.value(t)
			r.ended()
		default:
			r.ended()
		}
	}
}

func (r *reader) top() *frame { return &r.stack[len(r.stack)-1] }

// ended says that a value is complete.
func (r *reader) ended() { r.top().atKey = r.top().object }

// open begins an object or a list.
func (r *reader) open(object bool) bool {
	if len(r.stack) == maxDepth || len(r.cells) > maxCells {
		return false
	}
	r.stack = append(r.stack, frame{object: object, atKey: object})
	n := len(r.stack)
	switch {
	case !object && r.keyIs(1, "cells") && n == 2, !object && n == 4 && r.keyIs(1, "worksheets") && r.keyIs(3, "cells"):
		r.found = true
	case object && r.inCell == 0 &&
		(n == 3 && r.keyIs(1, "cells") || n == 5 && r.keyIs(1, "worksheets") && r.keyIs(3, "cells")):
		r.inCell = n
		r.cells = append(r.cells, cell{line: r.here()})
	}
	return true
}

// keyIs reports whether the value at a depth is read for a key.
func (r *reader) keyIs(depth int, key string) bool {
	return depth <= len(r.stack) && r.stack[depth-1].object && r.stack[depth-1].key == key
}

// value takes a string that is a value.
func (r *reader) value(s string) {
	n := len(r.stack)
	if r.inCell > 0 {
		source := r.keyIs(r.inCell, "source") || r.keyIs(r.inCell, "input")
		switch c := &r.cells[len(r.cells)-1]; {
		case n == r.inCell && r.keyIs(n, "cell_type"):
			c.kind = s
		case source && (n == r.inCell || n == r.inCell+1 && !r.top().object):
			c.pieces = append(c.pieces, piece{r.here(), plain(s)})
		case n == r.inCell && r.keyIs(n, "language") && r.language == "": // nbformat 3
			r.language = s
		}
		return
	}
	if !r.keyIs(1, "metadata") || n != 3 {
		return
	}
	switch {
	case r.keyIs(2, "language_info") && r.keyIs(3, "name"), r.keyIs(2, "kernelspec") && r.keyIs(3, "language"):
		r.language = s
	case r.keyIs(2, "kernelspec") && r.keyIs(3, "name"):
		r.kernel = s
	}
}

// here is the index of the line on which the last token ends; a string is on one line.
func (r *reader) here() int {
	if end := int(r.d.InputOffset()); end > r.offset {
		r.line += strings.Count(r.text[r.offset:end], "\n")
		r.offset = end
	}
	return r.line
}

// plain is a piece of source as one line: without the line end behind it, those within folded, control characters
// blank.
func plain(s string) string {
	s = strings.TrimSuffix(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	s = strings.Map(func(c rune) rune {
		if c < ' ' && c != '\t' && c != '\n' || c == 0x7f {
			return ' '
		}
		return c
	}, s)
	return strings.ReplaceAll(s, "\n", Fold)
}
