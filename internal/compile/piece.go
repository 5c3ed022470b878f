package compile

import (
	"strings"

	"github.com/contextd/contextd/internal/render"
	"github.com/contextd/contextd/internal/safetext"
)

// Block reports whether a piece stands as a block of its own, its source above its fence. The others are lines in one
// fence that they share.
func (p Piece) Block() bool { return !p.Pointer && p.Language != "" }

// text is the piece as it stands in its section. Of a block:
//
//	src/auth/jwt.go:40-78
//	```go
//	func Verify(token string) error {
//	```
//
// of one that is a line, without the fence around it, its further lines indented so that none can pass for another
// piece:
//
//	memory:m_1 (decision, 2026-01-02): tokens live an hour
//	src/auth/jwt.go:40-78: func Verify(token string) error {
//	src/auth/keys.go:12-30: func Rotate() { (possible)
func (p Piece) text() string {
	if p.Missing != "" {
		return "[" + label(p.Missing) + "]"
	}
	source := label(p.Source)
	if p.Block() {
		if p.Verify {
			source += " (" + verifyNote + ")"
		}
		return source + "\n" + fence(p.Text, p.Language)
	}
	if p.Pointer {
		if p.Text != "" {
			source += ": " + safetext.Line(p.Text)
		}
		if p.Guess {
			source += " (possible)"
		}
		return source
	}
	note := safetext.Line(p.Kind)
	if p.Date != "" {
		note += ", " + safetext.Line(p.Date)
	}
	if p.Verify {
		note += ", " + verifyNote
	}
	text := safetext.Text(strings.TrimSpace(p.Text))
	return source + " (" + note + "): " + strings.ReplaceAll(text, "\n", "\n  ")
}

// verifyNote is said of what may be out of date.
const verifyNote = "verify: what it cites has changed"

// Rendered is the piece as it stands in a prompt, for what it costs.
func (p Piece) Rendered() string { return p.text() + "\n" }

// Pieces is the content of a section of pieces: the blocks in their order, then all lines in one fence.
func Pieces(list []Piece) string {
	var blocks, rest []string
	for _, p := range list {
		if p.Block() {
			blocks = append(blocks, p.text())
		} else {
			rest = append(rest, p.text())
		}
	}
	if len(rest) > 0 {
		blocks = append(blocks, strings.TrimSuffix(render.Fence(strings.Join(rest, "\n"), "text"), "\n"))
	}
	return strings.Join(blocks, "\n\n")
}
