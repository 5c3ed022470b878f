package chunker

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// cSpecial reads raw strings, digit separators and the conditionals of the preprocessor.
func cSpecial(s *scan, i int, c byte) int {
	switch c {
	case '#':
		if s.atLineStart(i) {
			s.conditional(s.skipSrc(i + 1))
		}
	case '"':
		if i > 0 && s.src[i-1] == 'R' && s.lang.noBody != nil {
			if k := strings.IndexByte(s.src[i:min(i+20, len(s.src))], '('); k > 0 {
				return s.inString(i+1+k, str{close: ")" + s.src[i+1:i+k] + `"`, lines: true})
			}
		}
	case '\'':
		if i > 0 && i+1 < len(s.src) && isWord(s.src[i-1]) && isWord(s.src[i+1]) {
			j := i
			for j > 0 && i-j < 40 && (isWord(s.src[j-1]) || s.src[j-1] == '\'') {
				j--
			}
			if s.src[j] >= '0' && s.src[j] <= '9' {
				return i + 1
			}
		}
	}
	return i
}

// conditional keeps the brackets of the branches of an #if apart, as only one of them is compiled: those of the first
// count, the others see only what they open themselves.
func (s *scan) conditional(p int) {
	e := p
	for e < len(s.src) && isWord(s.src[e]) && e-p < 10 {
		e++
	}
	switch s.src[p:e] {
	case "if", "ifdef", "ifndef":
		s.conds = append(s.conds, -1)
	case "else", "elif", "elifdef", "elifndef":
		if n := len(s.conds); n > 0 {
			if s.conds[n-1] < 0 {
				s.conds[n-1] = s.base
				s.base = len(s.stack)
			}
			s.stack = s.stack[:s.base]
		}
	case "endif":
		if n := len(s.conds); n > 0 {
			if s.conds[n-1] >= 0 {
				s.stack = s.stack[:s.base]
				s.base = s.conds[n-1]
			}
			s.conds = s.conds[:n-1]
		}
	}
}

// atLineStart reports whether only blanks precede src[i] on its line.
func (s *scan) atLineStart(i int) bool {
	for j := i; j > 0 && i-j < 80; j-- {
		switch c := s.src[j-1]; {
		case c == '\n':
			return true
		case !isSpace(c):
			return false
		}
	}
	return i < 80
}

// skipSrc is skip while the masked text is not complete.
func (s *scan) skipSrc(p int) int { return p + blanks(s.src[min(p, len(s.src)):]) }

// defineC finds what a line of C or C++ defines.
func defineC(s *scan, ln int) {
	p := s.lines[ln].first
	if s.code[p] == '#' {
		s.directive(ln, s.skip(p+1))
		return
	}
	defineTemplate(s, ln, p)
}

// defineTemplate goes on at p, where a template may begin.
func defineTemplate(s *scan, ln, p int) {
	for s.wordAt(p, "template") {
		q := s.skip(p + len("template"))
		if s.code[q] != '<' {
			return
		}
		end := s.angles(q)
		if end == q {
			return
		}
		if p = s.skip(end); s.code[p] == '\n' {
			s.attr, s.until = true, max(s.until, s.lineAt(p))
			return
		}
	}
	if s.code[p] == '[' && s.code[p+1] != '[' {
		return
	}
	for range 4 { // macros in front: EXPORT class …
		e := s.word(p)
		if e < p+3 || !isUpper(s.src[p:e]) {
			break
		}
		q := s.skip(e)
		if s.code[q] == '\n' && ln+1 < len(s.lines) && s.lines[ln].first == p {
			s.attr = true
			return
		}
		next, ok := s.lang.words[string(s.code[q:s.word(q)])]
		if s.wordAt(q, "template") {
			defineTemplate(s, ln, q)
			return
		}
		if !ok || next.act == stops {
			break
		}
		p = q
	}
	byWordsAt(s, ln, p)
}

// directive adds the macro of a #define at p and passes over the lines that continue it.
func (s *scan) directive(ln, p int) {
	last := ln
	for last+1 < len(s.lines) && s.lines[last+1].start >= 2 && s.src[s.lines[last+1].start-2] == '\\' {
		last++
	}
	s.until = max(s.until, last)
	if !s.wordAt(p, "define") {
		return
	}
	p = s.skip(p + len("define"))
	e := s.word(p)
	d := def{kind: code.KindValue, line: ln, name: s.src[p:e], at: p, after: e, value: true}
	switch {
	case s.code[e] == '(':
		d.kind = code.KindFunc
	case s.code[s.skip(e)] == '\n':
		return // a guard
	}
	s.addEnding(d, last)
}

// addEnding adds d, which ends with the line of index last.
func (s *scan) addEnding(d def, last int) {
	n := len(s.syms)
	d.value = true
	s.add(d)
	if len(s.syms) > n {
		sym := &s.syms[n]
		sym.Kind, sym.byIndent = d.kind, false
		sym.End = max(sym.Line, last+1)
	}
}

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

// cppInitializer reports a brace after a name in a list of member initializers: Foo() : a_{1} {.
func cppInitializer(s *scan, d def, p int) bool {
	if d.kind != code.KindFunc || p == 0 || !isWord(s.code[p-1]) {
		return false
	}
	for _, w := range []string{"const", "noexcept", "override", "final", "try", "volatile", "mutable"} {
		if s.endsWith(p, w) {
			return false
		}
	}
	for q := d.after; q < p; q++ {
		if s.code[q] == ':' {
			if s.code[q+1] != ':' {
				return true
			}
			q++
		}
	}
	return false
}
