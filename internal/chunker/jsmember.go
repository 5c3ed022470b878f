package chunker

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// jsMember finds methods, functions that are properties, and the fields of classes and interfaces.
func jsMember(s *scan, ln, p, mods int) {
	d := def{kind: code.KindFunc, line: ln}
	t := s.top()
	inType := t != nil && t.Kind == code.KindType
	for s.code[p] == '*' || s.code[p] == '#' {
		p = s.skip(p + 1)
	}
	for _, w := range []string{"get", "set"} {
		if s.wordAt(p, w) {
			if q := s.skip(p + 3); isWord(s.code[q]) || s.code[q] == '#' || s.code[q] == '$' {
				p = q
				if s.code[p] == '#' {
					p++
				}
			}
		}
	}
	first, e := p, s.word(p)
	if c := s.code[p]; e == p && (c == '\'' || c == '"') { // a quoted property
		k := strings.IndexByte(s.src[p+1:min(p+100, len(s.src))], c)
		if k < 1 || s.code[s.skip(p+k+2)] != ':' {
			return
		}
		p, e = p+1, p+1+k
		d.name, d.at, d.after = s.src[p:e], p, s.skip(e+1)
		if s.jsFunction(s.jsSkip(d.after+1)) == code.KindFunc {
			s.add(d)
		}
		return
	}
	for e > p && s.code[e] == '.' {
		p = e + 1
		e = s.word(p)
	}
	if e == p {
		return
	}
	d.name, d.at, d.after = s.src[p:e], p, e
	d.parent = jsQualifier(s.src[first:p])
	plain := first == p
	q := s.skip(e)
	if c := s.code[q]; plain && (c == '?' || c == '!') &&
		(s.code[q+1] == ':' || s.code[q+1] == '(' || s.code[q+1] == '<') {
		q++
	}
	if plain && s.code[q] == '<' {
		q = s.skip(s.angles(q))
	}
	switch s.code[q] {
	case '(':
		if c := s.closeOf(q); plain && c >= 0 {
			next := s.code[min(s.skip(c+1), len(s.src))]
			if next == '{' || (inType || mods > 0) && (next == ':' || next == ';' || next == '\n') && !s.inFunc() {
				d.after = c + 1
				s.add(d)
			}
		}
	case '=', ':':
		if s.code[q] == '=' && (s.code[q+1] == '=' || s.code[q+1] == '>') || s.code[q] == ':' && !plain {
			return
		}
		v := s.jsSkip(q + 1)
		kind := s.jsFunction(v)
		if s.code[q] == ':' && inType {
			kind = "" // a type, unless a value follows
			if v = s.assigned(e); v > 0 {
				kind = s.jsFunction(v)
			}
		}
		switch {
		case kind != "":
			d.kind, d.after = kind, v
			if d.name == "exports" && d.parent == "module" || kind == code.KindType && s.code[q] == ':' {
				return
			}
			s.add(d)
		case plain && inType && mods+len(t.Name) > 0 && s.lines[ln].indent > t.Indent:
			d.kind, d.value = code.KindValue, true
			s.add(d)
		}
	case ';', '\n':
		if plain && inType && mods > 0 {
			d.kind, d.value = code.KindValue, true
			s.add(d)
		}
	}
}

// jsQualifier is the object that a property is set on: "Foo.prototype." gives Foo.
func jsQualifier(q string) string {
	q = strings.TrimSuffix(strings.TrimSuffix(q, "."), ".prototype")
	if i := strings.LastIndexByte(q, '.'); i >= 0 && q != "module.exports" {
		q = q[i+1:]
	}
	switch q {
	case "exports", "this", "module.exports", "self", "window":
		return ""
	}
	return q
}

// jsNoBody reports the brace of an object type: function f(): { a: string } {.
func jsNoBody(s *scan, d def, p int) bool {
	if d.kind != code.KindFunc {
		return false
	}
	q := p
	for q > d.after && isSpace(s.code[q-1]) {
		q--
	}
	return q > d.after && (s.code[q-1] == ':' || s.code[q-1] == '|' || s.code[q-1] == '&')
}
