package prompt

import (
	"cmp"

	"github.com/contextd/contextd/internal/receipt"
)

// Held is something that the agent's window holds already, as who fills the window knows it.
type Held struct {
	Path    string // a file, whole; "" where ID tells
	ID      string // a piece of code
	Hash    string // of its text when it was given: another text is not held
	Pointer bool   // only the line that tells where it is
}

// dropHeld leaves out code that the window holds with its text.
func (j *job) dropHeld() {
	j.dropWhere(func(h Held, l *line) bool {
		if h.ID == "" {
			return h.Path == l.path
		}
		return !h.Pointer && h.ID == l.item.ID && h.Hash == receipt.ShortHash(l.item.Text)
	})
}

// dropHeldPointers leaves out what would stand as a pointer that the window holds.
func (j *job) dropHeldPointers() {
	j.dropWhere(func(h Held, l *line) bool { return h.Pointer && h.ID == l.item.ID && l.verdict == receipt.Pointer })
}

func (j *job) dropWhere(has func(Held, *line) bool) {
	for i := range j.choice.lines {
		l := &j.choice.lines[i]
		for _, h := range j.req.Held {
			if l.block && l.verdict != receipt.Dropped && has(h, l) {
				l.drop(reasonHeld)
			}
		}
	}
}

// Piece is a piece of code as it stands in a context.
type Piece struct {
	ID        string // as in the receipt
	Path      string
	StartLine int // of what is shown; of a pointer those of the whole piece
	EndLine   int
	Language  string
	Strong    bool // else it is likely
	Pointer   bool // Text is one line that tells what is there
	Text      string
	Hash      string // of the piece's text, for Held
	Tokens    int    // that it takes
}

// pieces is the code of the context.
func (j *job) pieces() (out []Piece) {
	for _, l := range j.choice.kept() {
		if !l.block || l.grade == possible {
			continue
		}
		p := Piece{ID: l.item.ID, Path: l.path, StartLine: l.shown.Start, EndLine: l.shown.End, Language: l.language,
			Strong: l.grade >= strong, Text: l.item.Text, Hash: receipt.ShortHash(l.item.Text), Tokens: l.cost}
		switch l.verdict {
		case receipt.Pointer:
			p.Pointer, p.Text, p.StartLine, p.EndLine = true, l.item.Line, l.whole.Start, l.whole.End
		case receipt.Compressed:
			p.Text = l.short
		}
		out = append(out, p)
	}
	return out
}

// fileTokens estimates what the whole file of a piece would have taken: its bytes at the tokens for each byte of the
// piece.
func (j *job) fileTokens(it *item) int {
	if !it.block || it.size == 0 {
		return 0
	}
	return max(it.size, len(it.Text)) * j.counter.Count(it.Text) / cmp.Or(len(it.Text), 1)
}
