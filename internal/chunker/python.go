package chunker

import "github.com/contextd/contextd/internal/code"

// pythonTable is the table of Python.
func pythonTable() *language {
	python := &language{
		lineComments: hash, strings: "", quoted: map[byte]stringRule{'"': {escapes: true, triple: true},
			'\'': {escapes: true, triple: true}}, docStrings: true,
		define: byWords, other: pythonValue, continues: pythonContinues, indented: true, annotations: '@',
		words: table("async",
			"if else elif for while return import from with try except finally raise pass del assert yield await global nonlocal lambda print", kinds{
				code.KindFunc: "def cdef cpdef", code.KindType: "class",
			}),
	}
	return python
}

// pythonContinues: a closing bracket ends a head or a value over several lines, not a definition.
func pythonContinues(s *scan, p int) continuation {
	if isCloser(s.code[p]) {
		return continues
	}
	return ended
}

// pythonValue finds "NAME = …" and "name: type" at the top and directly in a class.
func pythonValue(s *scan, ln, p, mods int) {
	t := s.top()
	if s.lines[ln].indent > 0 && (t == nil || t.Kind != code.KindType) {
		return
	}
	e := s.word(p)
	q := s.skip(e)
	if e == p || !(s.code[q] == '=' && s.code[q+1] != '=' || s.code[q] == ':' && s.code[q+1] != '=' &&
		s.code[s.skip(q+1)] != '\n') {
		return
	}
	s.add(def{kind: code.KindValue, line: ln, name: s.src[p:e], at: p, after: e, value: true})
}
