package chunker

import (
	"sort"

	"github.com/contextd/contextd/internal/code"
)

// defs finds the definitions of all lines, line by line, with a stack of those that are open.
func (s *scan) defs() {
	if s.lang.define == nil {
		return
	}
	s.waiting = -1
	for ln := range s.lines {
		switch s.lines[ln].kind {
		case blankLine:
			if ln > s.until {
				s.waiting = -1
			}
			continue
		case commentLine:
			if s.waiting < 0 {
				s.waiting = ln
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
		s.attr = false
		if ln <= s.until {
			s.last = ln
			continue
		}
		s.steps += 20
		s.lang.define(s, ln)
		s.last = ln
		if s.attr {
			if s.waiting < 0 {
				s.waiting = ln
			}
			continue
		}
		if s.waiting >= 0 {
			for i := n; i < len(s.syms); i++ {
				s.syms[i].from = s.waiting
			}
		}
		s.waiting = -1
	}
	for len(s.open) > 0 {
		s.pop(s.last + 1)
	}
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
			case goesOn:
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
	goesOn
	inType // goes on in a type or module, not in anything else
)

// bracketContinues is for languages with brackets: an opening brace on its own line belongs to the head above.
func bracketContinues(s *scan, p int) continuation {
	switch s.code[p] {
	case '{', ')', ']':
		return goesOn
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

// A def is what a define function has found.
type def struct {
	name   string
	parent string // the qualifier it is written with
	kind   code.Kind
	line   int // index of the line on which the definition starts
	at     int // offset of the name
	after  int // offset after the name, where the search for the body starts
	// value: the definition ends with its statement, braces in it are no body
	value    bool
	property bool // a value that may end with its first pair of braces
}

// add records d and opens it.
func (s *scan) add(d def) {
	if d.name == "" {
		return
	}
	sym := symbol{Symbol: code.Symbol{Name: d.name, Kind: d.kind, Line: d.line + 1, Indent: s.lines[d.line].indent, Parent: d.parent}, from: d.line}
	if s.waiting >= 0 && s.lines[s.waiting].kind == codeLine { // an annotation or macro may stand further left
		sym.Indent = min(sym.Indent, s.lines[s.waiting].indent)
	}
	if d.at > 0 {
		sym.Line = s.lineAt(d.at) + 1
	}
	limit := len(s.lines)
	if t := s.top(); t != nil {
		limit = t.End
		if d.parent == "" {
			sym.Parent = t.Name
		}
	}
	sym.End, sym.byIndent = limit, true
	if s.lang.continues == nil {
		sym.End, sym.byIndent = sym.Line, false
	} else if s.lang.indented {
		if q := s.skip(d.after); s.code[q] == '(' { // a head over several lines
			if c := s.closeOf(q); c > q {
				s.until = max(s.until, s.lineAt(c))
			}
		}
	} else {
		end, ok := s.end(d, sym.Indent)
		if ok.known && end+1 <= limit {
			sym.End, sym.byIndent = max(end+1, sym.Line), false
		}
		if !ok.body && d.kind == code.KindFunc && !s.lang.noDecls {
			sym.Kind = code.KindDecl
		}
	}
	s.syms = append(s.syms, sym)
	s.open = append(s.open, len(s.syms)-1)
	if sym.Line-1 > d.line {
		s.until = max(s.until, sym.Line-1)
	}
}

// merge makes the definition of name on line ln part of the one before it if that has the same name and kind and
// nothing else stands between them: the clauses of a function.
func (s *scan) merge(name string, kind code.Kind, ln int) bool {
	n := len(s.syms)
	if n == 0 {
		return false
	}
	sym := &s.syms[n-1]
	if sym.Name != name || sym.Kind != kind || sym.Indent != s.lines[ln].indent || sym.End != s.last+1 || !sym.byIndent {
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
	sym := symbol{Symbol: code.Symbol{Name: name, Kind: code.KindSection, Line: ln + 1, End: len(s.lines)}, from: ln, byIndent: true, level: level}
	if t := s.top(); t != nil {
		sym.Parent = t.Name
	}
	s.open = append(s.open, len(s.syms))
	s.syms = append(s.syms, sym)
}

// lineAt is the index of the line that holds offset p.
func (s *scan) lineAt(p int) int {
	return sort.Search(len(s.lines), func(i int) bool { return s.lines[i].start > p }) - 1
}

// closeOf is the offset of the bracket that closes the one at p, or -1.
func (s *scan) closeOf(p int) int {
	i := sort.Search(len(s.opens), func(i int) bool { return s.opens[i].pos >= p })
	if i < len(s.opens) && s.opens[i].pos == p {
		return s.opens[i].close
	}
	return -1
}

// headLimit bounds, in bytes outside brackets, how far the body of a definition may be from its name.
const headLimit = 1200

type found struct {
	known bool // the end is known
	body  bool // there is a body
}

// end finds the last line of d by its brackets: the body in braces, or else the end of the statement.
func (s *scan) end(d def, indent int) (int, found) {
	code, p := s.code[:len(s.src)], d.after
	for budget := headLimit; p < len(code) && budget > 0; budget-- {
		s.steps++
		switch code[p] {
		case '{', '(', '[':
			c := s.closeOf(p)
			if c < 0 {
				return 0, found{body: true}
			}
			if code[p] == '{' && !d.value && (s.lang.noBody == nil || !s.lang.noBody(s, d, p)) {
				end := s.lineAt(c)
				if s.lines[end].first == c && s.lines[end].indent < indent {
					return 0, found{body: true} // brackets do not match here
				}
				return end, found{true, true}
			}
			if p = c; code[p] == '}' && d.property {
				if q := s.skipAll(p + 1); q >= len(code) || code[q] != '=' && code[q] != ';' {
					return s.lineAt(p), found{true, true}
				}
			}
		case ';':
			return s.lineAt(p), found{known: true}
		case '}', ')', ']':
			return s.lineAt(p), found{known: true}
		case '=':
			if !d.value && s.lang.equalsBody && p+1 < len(code) && code[p+1] != '=' && code[p+1] != '>' && !isOperator(code[p-1]) {
				q := s.skipAll(p + 1)
				if q < len(code) && code[q] == '{' {
					p = q - 1
					break
				}
				return 0, found{body: true}
			}
			if !d.value && p+1 < len(code) && code[p+1] == '>' {
				d.value = true // C#: => expression;
				end, ok := s.end(def{after: p + 2, value: true}, indent)
				ok.body = true
				return end, ok
			}
		case ':':
			if s.lang.colonBody && s.code[s.skip(p+1)] == '\n' {
				return 0, found{body: true}
			}
		case '\n':
			if s.lang.newlines {
				q := s.skipAll(p)
				if q >= len(code) {
					return s.lineAt(p), found{known: true}
				}
				if code[q] == hidString {
					p = q // inside a string
					break
				}
				if in := s.lines[s.lineAt(q)].indent; code[q] != '{' && code[q] != '>' && in <= indent && !(isCloser(code[q]) && in == indent) {
					return s.lineAt(p), found{known: true}
				}
				p = q - 1
			}
		}
		p++
	}
	return s.lineAt(min(p, len(code)-1)), found{known: p >= len(code), body: p < len(code)}
}

func isCloser(c byte) bool { return c == ')' || c == ']' || c == '}' }

func isOperator(c byte) bool {
	switch c {
	case '<', '>', '=', '!', '+', '-', '*', '/', '%', '&', '|', '^', '~', ':', '?', '@', '#', '\\':
		return true
	}
	return false
}
