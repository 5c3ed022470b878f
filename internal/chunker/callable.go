package chunker

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// callable finds "type name(…) {" and "type name = …" of C and its relatives, from p on line ln.
//
// It reads names, qualifiers, type arguments and pointer marks up to the first byte that decides: a parenthesis makes
// the name before it a function if a body or a semicolon follows and a type precedes, "=" or ";" makes it a value.
func callable(s *scan, ln, p, mods int) {
	if s.inFunc() && (mods == 0 || !s.lang.localTypes) {
		return
	}
	d := def{line: ln, kind: code.KindFunc}
	words, nameAt, nameEnd, qualAt := 0, -1, -1, -1
	operator := false
	for budget := 300; budget > 0 && p < len(s.src); budget-- {
		s.steps++
		c := s.code[p]
		switch {
		case isWord(c) || c == '~' && nameAt != p-1:
			e := p + 1
			for isWord(s.code[e]) || s.code[e] == '$' {
				e++
			}
			w := s.src[p:e]
			if w == "operator" {
				operator = true
				q := s.skip(e)
				for s.code[q] != '(' && s.code[q] != '\n' || s.code[q] == '(' && s.code[q+1] == ')' && q == s.skip(e) {
					if s.code[q] == '(' {
						q++
					}
					q++
				}
				for q > e && isSpace(s.code[q-1]) {
					q--
				}
				e = q
			} else if word, ok := s.lang.words[w]; ok && word.act == stops {
				return
			}
			if !(qualAt >= 0 && nameEnd == p) { // not after "A::"
				words++
				qualAt = -1
			}
			nameAt, nameEnd = p, e
			p = e
		case c == ':' && s.code[p+1] == ':' || c == '.' && s.lang.dotted:
			if nameAt < 0 {
				nameAt, words = p, words+1
			}
			if qualAt < 0 {
				qualAt = nameAt
			}
			p += 2
			if c == '.' {
				p--
			}
			nameEnd = p
		case c == '<' && nameAt < 0 && s.lang.dotted: // <T> T name(
			q := s.angles(p)
			if q == p {
				return
			}
			p = q
		case c == '<' && nameAt >= 0:
			q := s.angles(p)
			if q == p {
				return
			}
			p = q
			if s.code[p] == ':' && s.code[p+1] == ':' && qualAt < 0 {
				qualAt = nameAt
			}
		case isSpace(c) || c == '*' || c == '&' || c == '?' || c == '[' && s.code[p+1] == ']':
			if c == '[' {
				p++
			}
			p++
		case c == '\n':
			// the name may follow its type on the next line
			l := s.lineAt(p) + 1
			for l < min(ln+4, len(s.lines)) && s.lines[l].kind == commentLine {
				l++
			}
			if l > ln+4 || l >= len(s.lines) || words == 0 || s.lines[l].kind != codeLine ||
				s.lines[l].indent > s.lines[ln].indent+8 || !s.lang.splitHeads {
				return
			}
			p = s.lines[l].first
			if s.code[p] == '{' && s.lang.properties {
				continue
			}
			if !isWord(s.code[p]) && s.code[p] != '*' && s.code[p] != '~' {
				return
			}
		case c == '(':
			if nameAt < 0 { // a tuple as type
				close := s.closeOf(p)
				if close < 0 || !s.lang.properties {
					return
				}
				p, words = close+1, words+1
				continue
			}
			if w := s.src[nameAt:nameEnd]; w == "__attribute__" || w == "__declspec" || w == "alignas" {
				if p = s.closeOf(p) + 1; p == 0 {
					return
				}
				words, nameAt = words-1, -1
				continue
			}
			s.callableAt(d, words, nameAt, nameEnd, qualAt, p, mods, operator)
			return
		case c == '=' || c == ';' || c == '[' || c == '{' || c == ',':
			s.valueAt(d, c, words, nameAt, nameEnd, p)
			return
		default:
			return
		}
	}
}

// callableAt adds the function whose parameters begin at p, if it is one.
func (s *scan) callableAt(d def, words, nameAt, nameEnd, qualAt, p, mods int, operator bool) {
	c := s.closeOf(p)
	if c < 0 {
		return
	}
	d.name, d.at, d.after = s.src[nameAt:nameEnd], nameAt, c+1
	if qualAt >= 0 && qualAt < nameAt {
		d.parent = trimQualifier(s.src[qualAt:nameAt])
	}
	next := s.skipAll(c + 1)
	if next >= len(s.src) {
		return
	}
	t := s.top()
	inType := t != nil && t.Kind == code.KindType
	follow := s.code[next]
	switch {
	case words == 0 || words == 1 && mods == 0 && s.lang.dotted && d.parent != "":
		return
	case words == 1 && mods > 0 && inType && s.lang.dotted && (follow == '{' || follow == '='):
	case words == 1 && !operator && d.parent == "" && !(inType && (d.name == t.Name || d.name == "~"+t.Name)):
		// A macro that makes a function, TEST(Suite, Name) {, or a function without a type.
		if follow != '{' || s.lines[d.line].indent > 0 && mods == 0 || !s.lang.splitHeads {
			return
		}
		if a, b := s.macroArgs(p); isUpper(d.name) && a != "" {
			d.name, d.parent = a, ""
			if b != "" {
				d.name, d.parent = b, a
			}
		}
	case follow == '{' || follow == ';' || follow == ':' || follow == '-' || isWord(follow) || follow == '=' ||
		follow == '[' || follow == '&':
		if follow == ';' && t != nil && !inType && t.Kind != code.KindModule {
			return
		}
	default:
		return
	}
	s.add(d)
}

// macroArgs are the first two names after the parenthesis at p.
func (s *scan) macroArgs(p int) (a, b string) {
	q := s.skip(p + 1)
	e := s.word(q)
	a = s.src[q:e]
	if q = s.skip(e); s.code[q] == ',' {
		q = s.skip(q + 1)
		b = s.src[q:s.word(q)]
	}
	return a, b
}

// valueAt adds the variable or field whose name is followed by c at p, if it stands where one counts.
func (s *scan) valueAt(d def, c byte, words, nameAt, nameEnd, p int) {
	if words < 2 || nameAt < 0 || c == ',' || s.inFunc() {
		return
	}
	t := s.top()
	if t != nil && t.Kind == code.KindType && !s.lang.fields {
		return
	}
	if c == '{' && !s.lang.properties {
		return
	}
	d.kind, d.value, d.property = code.KindValue, true, c == '{'
	d.name, d.at, d.after = s.src[nameAt:nameEnd], nameAt, p
	s.add(d)
}

// trimQualifier cuts type arguments and the last separator off a qualifier.
func trimQualifier(q string) string {
	for i := range len(q) {
		if q[i] == '<' {
			return q[:i]
		}
	}
	for len(q) > 0 && (q[len(q)-1] == ':' || q[len(q)-1] == '.' || q[len(q)-1] == '~' || isSpace(q[len(q)-1])) {
		q = q[:len(q)-1]
	}
	return q
}

func isUpper(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return r >= 'a' && r <= 'z' })
}
