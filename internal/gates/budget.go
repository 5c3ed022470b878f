package gates

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// Budget keeps count of one answer: how many results it has, how many bytes of text are left, and which texts it holds.
// It is used by one goroutine. Make one with [NewBudget].
type Budget struct {
	o        Options
	results  int
	pointers int
	left     int
	texts    map[code.Hash]bool
}

// NewBudget is the budget of an answer under valid options; zero fields get their defaults.
func NewBudget(o Options) *Budget {
	o = o.WithDefaults()
	return &Budget{o: o, left: o.MaxBytes, texts: map[code.Hash]bool{}}
}

// Options are those of NewBudget, defaults filled in.
func (b *Budget) Options() Options { return b.o }

// Left is the number of bytes of text that still fit: the limit for the next snippet.
func (b *Budget) Left() int { return b.left }

// RejectEarly returns the reason to reject a candidate without reading its file, "" if there is none: below_threshold,
// cap_results, or cap_bytes when nothing fits any more. It saves opening files that cannot be shown.
func (b *Budget) RejectEarly(relevance float64) code.Reason {
	left := min(b.left, 1)
	_, reason := Decide(Facts{Inside: true, Regular: true, Fresh: true, Relevance: relevance, Results: b.results,
		Pointers: b.pointers, Left: left, Bytes: 1}, b.o)
	return reason
}

// Decide is the function Decide with this answer's counts in place of f's. It counts the candidate if it is admitted.
// text is what the candidate would show of the file at path. It is a duplicate of what the same file has shown already,
// white space aside; copies in several files are several answers, for an agent has to know of each. An empty text
// equals none.
func (b *Budget) Decide(f Facts, path code.Path, text string) (admit bool, reason code.Reason) {
	var key code.Hash
	f.Results, f.Pointers, f.Left, f.Bytes, f.Duplicate = b.results, b.pointers, b.left, len(text), false
	if words := strings.Fields(text); len(words) > 0 {
		key = code.HashOf([]byte(path + "\x00" + strings.Join(words, " ")))
		f.Duplicate = b.texts[key]
	}
	if admit, reason = Decide(f, b.o); admit {
		b.results++
		if b.o.GradeOf(f.Relevance) == Possible {
			b.pointers++
		}
		b.left -= len(text)
		b.texts[key] = true
	}
	return admit, reason
}
