package mcp

import (
	"errors"
	"strings"

	"github.com/contextd/contextd/internal/safetext"
)

// MaxText bounds the text of an answer in bytes; of a search that asks for more than the usual number of results, see
// searchLimits.
const MaxText = 4 << 10

// maxSentence bounds an error in bytes.
const maxSentence = 700

// page is a text that grows piece by piece within a limit.
type page struct {
	b     strings.Builder
	limit int // in bytes
}

// add appends a piece if it fits whole.
func (p *page) add(piece string) bool {
	if p.b.Len()+len(piece) > p.limit {
		return false
	}
	p.b.WriteString(piece)
	return true
}

// errorLine returns an error as one line for a model: what is wrong, and what to do about it.
func errorLine(err error) string {
	text := strings.TrimRight(strings.Join(strings.Fields(err.Error()), " "), ".")
	var h interface{ Hint() string }
	if errors.As(err, &h) && h.Hint() != "" {
		text += "; " + strings.TrimRight(h.Hint(), ".")
	}
	return safetext.Cut(safetext.Line(text), maxSentence) + "."
}
