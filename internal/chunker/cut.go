package chunker

import "github.com/contextd/contextd/internal/code"

// What starting a chunk at a line is worth. The ratios were measured on questions about 63 repositories; twice the
// figures there, so that they are whole.
const (
	breakComment    = 1 // a blank line inside a comment
	breakBlank      = 3 // a blank line
	breakUnindented = 5 // a blank line, then a line without indent
	breakValue      = 2 // a value or a declaration
	breakDef        = 4 // any other definition
	breakTop        = 4 // added to a definition without indent
	breakShallow    = 2 // added to a definition with an indent of at most shallow columns
	shallow         = 4
)

// breaks scores each line as the first of a chunk; 0 is no break.
func (s *scan) breaks() []uint8 {
	score := make([]uint8, len(s.lines))
	com := 0
	for i := 1; i < len(s.lines); i++ {
		if s.lines[i-1].kind != blankLine || s.lines[i].kind == blankLine {
			continue
		}
		at := s.lines[i].start
		for com < len(s.comments) && s.comments[com][1] < at {
			com++
		}
		switch {
		case com < len(s.comments) && s.comments[com][0] < at:
			score[i] = breakComment
		case s.lines[i].kind == codeLine && s.lines[i].indent == 0,
			s.lines[i].kind == commentLine && !isSpace(s.src[at]):
			score[i] = breakUnindented
		default:
			score[i] = breakBlank
		}
	}
	for i := range s.syms {
		sym := &s.syms[i]
		v := breakDef
		if sym.Kind == code.KindValue || sym.Kind == code.KindDecl {
			v = breakValue
		}
		switch {
		case sym.Indent == 0:
			v += breakTop
		case sym.Indent <= shallow:
			v += breakShallow
		}
		score[sym.from] = max(score[sym.from], uint8(v))
	}
	return score
}

// cut returns the index of the first line of each chunk.
func (s *scan) cut() []int {
	score := s.breaks()
	var starts []int
	size := func(from, to int) int { // bytes of the lines from … to-1
		end := len(s.src)
		if to < len(s.lines) {
			end = s.lines[to].start
		}
		return end - s.lines[from].start
	}
	n := len(s.lines)
	for at := 0; at < n; {
		starts = append(starts, at)
		if size(at, n) <= MaxBytes {
			break
		}
		limit := at + 1 // the furthest line that the next chunk may start at
		for limit < n && size(at, limit+1) <= MaxBytes {
			limit++
		}
		best, bestScore := limit, -1
		for b := at + 1; b <= limit && b < n; b++ {
			if size(at, b) < MinBytes {
				continue
			}
			v := int(score[b])
			if size(b, n) < MinBytes {
				v = -1 // leave no tiny rest
			}
			if v > 0 && v >= bestScore || v == 0 && bestScore <= 0 {
				best, bestScore = b, v
			}
		}
		at = best
	}
	return starts
}
