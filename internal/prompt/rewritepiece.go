package prompt

import (
	"fmt"
	"strings"

	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/safetext"
	"github.com/contextd/contextd/internal/tokens"
)

// longLine is from how many bytes on a line may have been cut: which part of it was shown is not kept.
const longLine = 400

// pieces returns the content of the section of code, or of memory, and its parts.
func (w *rewriter) pieces(code bool) (string, []Part) {
	var list []compile.Piece
	parts := []Part{}
	for i := range w.r.Items {
		l := &w.r.Items[i]
		path, isFile := strings.CutPrefix(l.Source, "file:")
		if l.Decision == receipt.Dropped || isFile != code {
			continue
		}
		p := Part{Item: l.ID, Source: l.Source, Kind: l.Kind, Relevance: l.Relevance, Decision: l.Decision,
			Reason: l.Reason, Tokens: l.Tokens, State: PartNotKept}
		piece := compile.Piece{ID: l.ID, Source: sourceLabel(l.Source), Kind: l.Kind, Language: l.Language,
			Verify: l.Verify, Pointer: l.Decision == receipt.Pointer}
		switch {
		case l.FormHash == "" || len(w.out.Parts)+len(parts) >= maxPromptParts:
		case code:
			piece, p.State = w.codePiece(l, piece, path)
		default:
			piece, p.State = w.memoryPiece(l, piece)
		}
		if p.State == PartSame && !w.mayShow(piece.Text) {
			p.State = PartNotKept
		}
		if code {
			p.Grade = w.grade(l.Relevance)
		}
		switch p.State {
		case PartSame:
		case PartChanged:
			piece.Missing = piece.Source + " has changed since"
		case PartGone:
			piece.Missing = piece.Source + " is no longer there"
		default:
			piece.Missing = piece.Source + " cannot be compiled again"
		}
		list, parts = append(list, piece), append(parts, p)
	}
	content, marks := compile.PiecesWithMarks(list)
	for i, m := range marks {
		parts[i].Start, parts[i].End = m.Start, m.End
	}
	return content, parts
}

// grade is what relevance makes of code.
func (w *rewriter) grade(relevance float64) string {
	if g := (gates.Options{InjectAt: w.r.InjectAt, MinRelevance: w.r.MinRelevance}).GradeOf(relevance); g != "" {
		return string(g)
	}
	return string(gates.Possible)
}

// memoryPiece completes the piece of an item of memory.
func (w *rewriter) memoryPiece(l *receipt.Line, p compile.Piece) (compile.Piece, PartState) {
	m, ok := w.memory(l.ID)
	switch {
	case !ok:
		return p, PartGone
	case !hasHash(m.Content, l.Hash):
		return p, PartChanged
	}
	p.Date = dateOf(l.Kind, m.Said())
	return w.shape(l, p, m.Content)
}

// codePiece completes the piece of a file. The lines that it stands for have to be as they were, wherever else the file
// has changed.
func (w *rewriter) codePiece(l *receipt.Line, p compile.Piece, path string) (compile.Piece, PartState) {
	if i := strings.LastIndexByte(path, ':'); i >= 0 {
		path = path[:i]
	}
	if l.Decision != receipt.Pointer {
		p.Source = fmt.Sprintf("%s:%d-%d", path, l.StartLine, l.EndLine)
	}
	texts := w.file(path)
	if len(texts) == 0 {
		return p, PartGone
	}
	state := PartChanged
	for _, text := range texts {
		lines := strings.Split(text, "\n")
		if l.StartLine < 1 || l.EndLine < l.StartLine || l.EndLine > len(lines) {
			continue
		}
		snippet := strings.Join(lines[l.StartLine-1:l.EndLine], "\n")
		switch {
		case hasHash(snippet, l.Hash):
			return w.shape(l, p, snippet)
		case l.StartLine == l.EndLine && len(snippet) > longLine:
			state = PartNotKept
		}
	}
	return p, state
}

// shape gives a piece the form in which it stood: that of which the receipt has the hash.
func (w *rewriter) shape(l *receipt.Line, p compile.Piece, text string) (compile.Piece, PartState) {
	switch l.Decision {
	case receipt.Full:
		p.Text = text
	case receipt.Compressed:
		if w.words == nil {
			w.words = tokens.WordsOf(w.r.Query)
		}
		aggressiveness := 0.
		if w.r.Prompt != nil {
			aggressiveness = w.r.Prompt.Aggressiveness
		}
		p.Text, _ = tokens.Compress(text, tokens.FormOf(l.Kind), w.words, aggressiveness)
	case receipt.Pointer:
		return w.point(l, p, text)
	}
	if hasHash(p.Rendered(), l.FormHash) {
		return p, PartSame
	}
	return p, PartNotKept
}

// point gives a pointer its line, which is one of the text, or its start.
func (w *rewriter) point(l *receipt.Line, p compile.Piece, text string) (compile.Piece, PartState) {
	for _, line := range append(strings.Split(text, "\n"), text) {
		p.Text = safetext.Cut(strings.TrimSpace(line), maxLine)
		for _, p.Guess = range []bool{false, true} {
			if hasHash(p.Rendered(), l.FormHash) {
				return p, PartSame
			}
		}
	}
	return p, PartNotKept
}
