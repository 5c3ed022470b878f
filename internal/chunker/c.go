package chunker

import (
	"maps"
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// cTable is the table of C.
func cTable() *language {
	c := &language{
		lineComments: slashes, blockComments: cBlock, strings: `"'`, extra: "#", special: cSpecial,
		define: defineC, other: callable, continues: bracketContinues, splitHeads: true,
		words: table("static extern inline const volatile register _Noreturn __inline unsigned signed long short",
			controls+" sizeof", kinds{
				code.KindType: "struct union enum",
			}),
	}
	for _, w := range []string{"unsigned", "signed", "long", "short", "const", "volatile"} {
		delete(c.words, w)
	}
	for _, w := range []string{"struct", "union", "enum"} {
		c.words[w] = word{act: defines, kind: code.KindType, name: nameCType}
	}
	c.words["typedef"] = word{act: defines, kind: code.KindType, name: nameTypedef}
	return c
}

// cppTable is the table of C++.
func cppTable() *language {
	cpp := &language{
		lineComments: slashes, blockComments: cBlock, strings: `"'`, extra: "#", special: cSpecial,
		define: defineC, other: callable, continues: bracketContinues, splitHeads: true, annotations: '[',
		noBody: cppInitializer, words: maps.Clone(cTable().words),
	}
	cpp.words["class"] = word{act: defines, kind: code.KindType, name: nameCType}
	cpp.words["namespace"] = word{act: defines, kind: code.KindModule}
	cpp.words["concept"] = word{act: defines, kind: code.KindType, value: true}
	cpp.words["using"] = word{act: defines, kind: code.KindType, value: true, name: nameUsing}
	for _, w := range []string{
		"virtual", "explicit", "friend", "constexpr", "consteval", "constinit", "mutable", "export", "typename",
	} {
		cpp.words[w] = word{act: modifier}
	}
	for _, w := range []string{"public", "private", "protected", "co_return", "co_await", "co_yield", "static_assert"} {
		cpp.words[w] = word{act: stops}
	}
	return cpp
}

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
				return s.inString(i+1+k, stringRule{close: ")" + s.src[i+1:i+k] + `"`, lines: true})
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
			s.onlyAnnotations, s.consumedTo = true, max(s.consumedTo, s.lineAt(p))
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
			s.onlyAnnotations = true
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
	s.consumedTo = max(s.consumedTo, last)
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
