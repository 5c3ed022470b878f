package chunker

import (
	"context"

	"github.com/contextd/contextd/internal/code"
)

// pollLines is the number of lines after which defs asks whether its context is over.
const pollLines = 512

// defs finds the definitions of all lines, line by line, with a stack of those that are open.
func (s *scan) defs(ctx context.Context) error {
	if s.lang.define == nil {
		return nil
	}
	s.pendingFrom = -1
	for ln := range s.lines {
		if ln%pollLines == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		switch s.lines[ln].kind {
		case blankLine:
			if ln > s.consumedTo {
				s.pendingFrom = -1
			}
			continue
		case commentLine:
			if s.pendingFrom < 0 {
				s.pendingFrom = ln
			}
			continue
		case stringLine:
			s.last = ln
			continue
		}
		if !s.lang.sections {
			s.closeBefore(ln)
		}
		n := len(s.syms)
		s.onlyAnnotations = false
		if ln <= s.consumedTo {
			s.last = ln
			continue
		}
		s.steps += 20
		s.lang.define(s, ln)
		s.last = ln
		if s.onlyAnnotations {
			if s.pendingFrom < 0 {
				s.pendingFrom = ln
			}
			continue
		}
		if s.pendingFrom >= 0 {
			for i := n; i < len(s.syms); i++ {
				s.syms[i].from = s.pendingFrom
			}
		}
		s.pendingFrom = -1
	}
	for len(s.open) > 0 {
		s.pop(s.last + 1)
	}
	return nil
}

// closeBefore closes the definitions that end before line ln, or with it.
func (s *scan) closeBefore(ln int) {
	indent := s.lines[ln].indent
	for len(s.open) > 0 {
		s.steps++
		sym := &s.syms[s.open[len(s.open)-1]]
		switch {
		case ln+1 > sym.End:
			s.pop(s.last + 1)
		case !sym.byIndent || indent > sym.Indent:
			return
		case indent < sym.Indent:
			s.pop(s.last + 1)
		default:
			switch s.lang.continues(s, s.lines[ln].first) {
			case continues:
				return
			case inType:
				if sym.Kind != code.KindFunc && sym.Kind != code.KindValue {
					return
				}
			case lastLine:
				s.pop(ln + 1)
				return
			}
			s.pop(s.last + 1)
		}
	}
}

// pop closes the innermost definition; end is its last line where indent says so.
func (s *scan) pop(end int) {
	sym := &s.syms[s.open[len(s.open)-1]]
	s.open = s.open[:len(s.open)-1]
	if sym.byIndent {
		sym.End = max(sym.Line, min(sym.End, end))
	}
}

// continuation says what a line that is not indented more than a definition means for it.
type continuation uint8

const (
	ended continuation = iota
	lastLine
	continues
	inType // goes on in a type or module, not in anything else
)

// bracketContinues is for languages with brackets: an opening brace on its own line belongs to the head above.
func bracketContinues(s *scan, p int) continuation {
	switch s.code[p] {
	case '{', ')', ']':
		return continues
	case '}':
		return lastLine
	}
	return ended
}

// top is the innermost open definition, nil outside all.
func (s *scan) top() *symbol {
	if len(s.open) == 0 {
		return nil
	}
	return &s.syms[s.open[len(s.open)-1]]
}

// inFunc reports whether the innermost open definition is a function.
func (s *scan) inFunc() bool {
	t := s.top()
	return t != nil && t.Kind == code.KindFunc
}

// merge makes the definition of name on line ln part of the one before it if that has the same name and kind and
// nothing else stands between them: the clauses of a function.
func (s *scan) merge(name string, kind code.Kind, ln int) bool {
	n := len(s.syms)
	if n == 0 {
		return false
	}
	sym := &s.syms[n-1]
	if sym.Name != name || sym.Kind != kind || sym.Indent != s.lines[ln].indent || sym.End != s.last+1 ||
		!sym.byIndent {
		return false
	}
	if sym.End = len(s.lines); len(s.open) > 0 {
		sym.End = s.syms[s.open[len(s.open)-1]].End
	}
	s.open = append(s.open, n-1)
	return true
}

// section adds a heading of a document: it reaches to the next one of its level or above.
func (s *scan) section(ln, level int, name string) {
	if name == "" {
		return
	}
	for t := s.top(); t != nil && t.level >= level; t = s.top() {
		s.pop(s.last + 1)
	}
	sym := symbol{Symbol: code.Symbol{Name: name, Kind: code.KindSection, Line: ln + 1, End: len(s.lines)}, from: ln,
		byIndent: true, level: level}
	if t := s.top(); t != nil {
		sym.Parent = t.Name
	}
	s.open = append(s.open, len(s.syms))
	s.syms = append(s.syms, sym)
}
