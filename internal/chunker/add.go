package chunker

import "github.com/contextd/contextd/internal/code"

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
	sym := symbol{Symbol: code.Symbol{Name: d.name, Kind: d.kind, Line: d.line + 1, Indent: s.lines[d.line].indent,
		Parent: d.parent}, from: d.line}
	if s.pendingFrom >= 0 && s.lines[s.pendingFrom].kind == codeLine { // an annotation or macro may stand further left
		sym.Indent = min(sym.Indent, s.lines[s.pendingFrom].indent)
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
				s.consumedTo = max(s.consumedTo, s.lineAt(c))
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
		s.consumedTo = max(s.consumedTo, sym.Line-1)
	}
}
