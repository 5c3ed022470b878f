package chunker

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// nameCType reads what follows struct, class, union or enum.
func nameCType(s *scan, d def, p int) {
	start := s.lines[d.line].first
	name, nameEnd, nameAt, qual, words := "", p, p, "", 0
	for budget := 60; budget > 0 && p < len(s.src); budget-- {
		switch c := s.code[p]; {
		case isWord(c):
			e := s.word(p)
			w := s.src[p:e]
			q := s.skip(e)
			if w == "final" || w == "class" || w == "struct" {
				p = q
				continue
			}
			if s.code[q] == '(' && (isUpper(w) || w == "alignas" || strings.HasPrefix(w, "__")) {
				cl := s.closeOf(q)
				if cl < 0 {
					return
				}
				p = s.skip(cl + 1)
				continue
			}
			name, nameAt, nameEnd = w, p, e
			words++
			p = q
		case c == ':' && s.code[p+1] == ':':
			qual = name
			words--
			p += 2
		case c == '[' && s.code[p+1] == '[':
			cl := s.closeOf(p)
			if cl < 0 {
				return
			}
			p = s.skip(cl + 1)
		case c == '<' && name != "":
			q := s.angles(p)
			if q == p {
				return
			}
			p = s.skip(q)
		case c == '{' || c == ':':
			d.name, d.at, d.after, d.parent = name, nameAt, nameEnd, qual
			s.add(d)
			return
		case c == ';' && words == 1:
			if !s.inFunc() {
				d.name, d.at, d.after, d.parent, d.kind = name, nameAt, nameEnd, qual, code.KindDecl
				s.add(d)
			}
			return
		case c == '\n':
			q := s.skipAll(p)
			if q >= len(s.src) || s.code[q] != '{' && s.code[q] != ':' {
				return
			}
			p = q
		case isSpace(c):
			p = s.skip(p)
		default:
			callable(s, d.line, start, 0)
			return
		}
	}
}

// nameTypedef reads a typedef: the tag of a struct that it holds and the name that it gives.
func nameTypedef(s *scan, d def, p int) {
	e := s.word(p)
	switch s.src[p:e] {
	case "struct", "union", "enum":
		q := s.skip(e)
		tagEnd := s.word(q)
		open := s.skipAll(tagEnd)
		if open >= len(s.src) || s.code[open] != '{' {
			break
		}
		c := s.closeOf(open)
		if c < 0 {
			return
		}
		tag := s.src[q:tagEnd]
		last := s.lineAt(c)
		if tag != "" {
			d.name, d.at, d.after = tag, q, tagEnd
			s.addEnding(d, last)
		}
		a := s.skipAll(c + 1)
		for a < len(s.src) && s.code[a] == '*' {
			a = s.skip(a + 1)
		}
		if a >= len(s.src) {
			return
		}
		name := s.src[a:s.word(a)]
		if tag == "" {
			d.name, d.at, d.after = name, p, e
			s.addEnding(d, last)
		} else if name != tag {
			s.alias(name)
		}
		return
	}
	nameAt, nameEnd := -1, -1
	for budget := 300; budget > 0 && p < len(s.src); budget-- {
		switch c := s.code[p]; {
		case isWord(c):
			nameAt, nameEnd = p, s.word(p)
			p = nameEnd
			continue
		case c == '(':
			q := s.skip(p + 1)
			if star := s.code[q] == '*'; star {
				q = s.skip(q + 1)
			}
			if e := s.word(q); e > q && s.code[e] == ')' && s.code[s.skip(e+1)] == '(' || nameEnd < 0 {
				nameAt, nameEnd = q, e
			}
			budget = 0
			continue
		case c == '<':
			if q := s.angles(p); q > p {
				p = q
				continue
			}
		case c == ';' || c == '[' || c == '{':
			budget = 0
			continue
		}
		p++
	}
	if nameEnd > nameAt {
		d.name, d.at, d.after, d.value = s.src[nameAt:nameEnd], nameAt, nameEnd, true
		s.add(d)
	}
}

// alias adds name for the definition that was added last.
func (s *scan) alias(name string) {
	if n := len(s.syms); n > 0 && name != "" {
		sym := s.syms[n-1]
		sym.Name = name
		if sym.byIndent {
			sym.End = sym.Line
		}
		s.syms = append(s.syms, sym)
	}
}

// nameUsing reads "using Name = …".
func nameUsing(s *scan, d def, p int) {
	e := s.word(p)
	if q := s.skip(e); e > p && s.code[q] == '=' && !s.inFunc() {
		d.name, d.at, d.after = s.src[p:e], p, e
		s.add(d)
	}
}
