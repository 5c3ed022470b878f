package chunker

import "github.com/contextd/contextd/internal/code"

// golangTable is the table of Go.
func golangTable() *language {
	golang := &language{
		lineComments: slashes, blockComments: cBlock, strings: `"'`, quoted: map[byte]stringRule{'`': {lines: true}},
		define: defineGo, continues: bracketContinues, newlines: true,
		noBody: func(s *scan, d def, p int) bool {
			return d.kind == code.KindFunc && (s.endsWith(p, "struct") || s.endsWith(p, "interface"))
		},
	}
	return golang
}

// A group is a parenthesis of declarations: const ( … ).
type group struct {
	kind code.Kind
	last int    // index of the line that closes it; 0 for no group
	in   int    // indent of its members
	mark string // of documents: the fence that is open, the marks of titles seen
}

// defineGo finds what a line of Go defines.
func defineGo(s *scan, ln int) {
	l := s.lines[ln]
	if s.group.last > 0 {
		if ln < s.group.last {
			if l.indent == s.group.in {
				s.goNames(def{kind: s.group.kind, line: ln, value: true}, l.first)
			}
			return
		}
		s.group = group{}
		return
	}
	e := s.word(l.first)
	if e == l.first {
		return
	}
	p := s.skip(e)
	switch string(s.code[l.first:e]) {
	case "func":
		if l.indent == 0 {
			s.goFunc(def{kind: code.KindFunc, line: ln}, p)
		}
	case "type":
		s.goDecl(def{kind: code.KindType, line: ln}, p)
	case "const", "var":
		if !s.inFunc() {
			s.goDecl(def{kind: code.KindValue, line: ln, value: true}, p)
		}
	default:
		if t := s.top(); t != nil && t.Kind == code.KindType && s.code[e] == '(' && l.indent == t.Indent+4 {
			s.add(def{kind: code.KindDecl, line: ln, name: s.src[l.first:e], at: l.first, after: e, value: true})
		}
	}
}

func (s *scan) goFunc(d def, p int) {
	if s.code[p] == '(' {
		c := s.closeOf(p)
		if c < 0 {
			return
		}
		d.parent = s.receiver(p+1, c)
		p = s.skip(c + 1)
	}
	s.named(d, p)
}

// receiver is the type name in the receiver between p and end.
func (s *scan) receiver(p, end int) string {
	name := ""
	for p < end {
		e := s.word(p)
		if e == p {
			if s.code[p] == '[' {
				break
			}
			p++
			continue
		}
		name = s.src[p:e]
		p = e
	}
	return name
}

// goDecl reads "Name …", "a, b = …" or "(" after type, const or var.
func (s *scan) goDecl(d def, p int) {
	if s.code[p] != '(' {
		s.goNames(d, p)
		return
	}
	c := s.closeOf(p)
	if c < 0 {
		return
	}
	if last := s.lineAt(c); last > d.line {
		s.group = group{kind: d.kind, last: last, in: s.lines[d.line].indent + 4}
	}
}

// goNames adds the names of a declaration. Only the first opens a scope.
func (s *scan) goNames(d def, p int) {
	if d.kind == code.KindType {
		d.value = !s.goTypeBody(p)
	}
	for range 16 {
		e := s.word(p)
		if e == p {
			return
		}
		if d.name, d.at, d.after = s.src[p:e], p, e; d.name != "_" {
			s.add(d)
		}
		if d.kind != code.KindValue || s.code[e] != ',' {
			return
		}
		p = s.skip(e + 1)
	}
}

// goTypeBody reports whether the type declared at p is a struct or interface in braces.
func (s *scan) goTypeBody(p int) bool {
	for q := p; q < p+200 && s.code[q] != '\n'; q++ {
		switch s.code[q] {
		case '[':
			if c := s.closeOf(q); c > 0 {
				q = c
			}
		case '{':
			return s.endsWith(q, "struct") || s.endsWith(q, "interface")
		}
	}
	return false
}
