package compile

import "strings"

// Mark is where a part of a text stands: the bytes [Start, End).
type Mark struct{ Start, End int }

// PiecesWithMarks is Pieces of a list, with the place of each piece in the order of the list.
func PiecesWithMarks(list []Piece) (content string, marks []Mark) {
	content, marks = Pieces(list), make([]Mark, len(list))
	from := 0
	for _, blocks := range []bool{true, false} { // as Pieces orders them
		for i, p := range list {
			if p.Block() != blocks {
				continue
			}
			text := p.text()
			start := strings.Index(content[from:], text)
			if start < 0 { // Pieces holds each text as it is
				continue
			}
			marks[i] = Mark{from + start, from + start + len(text)}
			from = marks[i].End
		}
	}
	return content, marks
}

// Marks are the places of the contents of sections in the message of the user that holds them all.
func Marks(sections []Section) []Mark {
	marks := make([]Mark, len(sections))
	at := 0
	for i, s := range sections {
		if i > 0 {
			at++ // the blank line between two
		}
		end := at + len(s.Text()) - 1
		marks[i], at = Mark{end - len(s.Content), end}, end+1
	}
	return marks
}
