package chunker

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
)

const jsStops = "if else for while do switch case return break continue throw new delete try catch finally import yield await super typeof void in of instanceof"

// jsTable is the table of JavaScript and TypeScript.
func jsTable() *language {
	js := &language{
		lineComments: slashes, blockComments: cBlock, strings: `"'`,
		quoted: map[byte]stringRule{'`': {escapes: true, lines: true, interp: "${"}}, special: jsSpecial,
		define: byWords, other: jsMember, continues: bracketContinues, annotations: '@', newlines: true, dollars: true,
		noBody: jsNoBody, words: table("export", jsStops, kinds{code.KindFunc: "function"}),
	}
	for name, w := range js.words {
		if w.act == stops && name != "if" && name != "for" && name != "while" && name != "switch" {
			w.when = noMethod
			js.words[name] = w
		}
	}
	for _, w := range []string{"const", "let", "var"} {
		js.words[w] = word{act: defines, kind: code.KindValue, value: true, name: nameJSValue}
	}
	// These may be plain names as well.
	for _, w := range []string{"enum", "class", "interface"} {
		js.words[w] = word{act: defines, kind: code.KindType, when: nameFollows}
	}
	for _, w := range []string{"namespace", "module"} {
		js.words[w] = word{act: defines, kind: code.KindModule, when: nameFollows}
	}
	js.words["type"] = word{act: defines, kind: code.KindType, value: true, when: nameFollows}
	for _, w := range []string{
		"default", "async", "static", "readonly", "override", "accessor", "declare", "abstract", "public", "private",
		"protected",
	} {
		js.words[w] = word{act: modifier, when: wordFollows}
	}
	return js
}

// noMethod tells a statement from a method that is named like one: catch<T>(…) in a class.
func noMethod(s *scan, _, p int) bool {
	t := s.top()
	return t == nil || t.Kind != code.KindType || s.code[p] != '(' && s.code[p] != '<'
}

// jsSpecial reads regular expressions.
func jsSpecial(s *scan, i int, c byte) int {
	if c == '/' && s.regexpMayStart(i) {
		return s.regexp(i)
	}
	return i
}

// nameJSValue reads the name after const, let or var and tells functions and classes from other values. Inside
// functions only those count.
func nameJSValue(s *scan, d def, p int) {
	if s.wordAt(p, "enum") {
		d.kind, d.value = code.KindType, false
		s.named(d, s.skip(p+4))
		return
	}
	e := s.word(p)
	if e == p {
		return
	}
	d.name, d.at, d.after = s.src[p:e], p, e
	if v := s.assigned(e); v > 0 {
		if kind := s.jsFunction(v); kind != "" {
			d.kind, d.value, d.after = kind, false, v
		} else if s.wordAt(v, "require") {
			return // an import
		}
	}
	if d.kind != code.KindValue || !s.inFunc() {
		s.add(d)
	}
}

// assigned is the offset of what is assigned in the declaration whose name ends at p, past a type; 0 for nothing.
func (s *scan) assigned(p int) int {
	for budget := 300; budget > 0 && p < len(s.src); budget-- {
		switch c := s.code[p]; c {
		case '(', '[', '{':
			if p = s.closeOf(p); p < 0 {
				return 0
			}
		case '=':
			if s.code[p+1] != '>' {
				return s.jsSkip(p + 1)
			}
			p++
		case ';', ',', ')', ']', '}':
			return 0
		case '\n':
			if s.code[max(p-1, 0)] != ':' && s.code[max(p-1, 0)] != '|' {
				return 0
			}
		}
		p++
	}
	return 0
}

// jsSkip passes blanks and at most one line end.
func (s *scan) jsSkip(p int) int {
	if p = s.skip(p); s.code[p] == '\n' && p+1 < len(s.code) {
		p = s.skip(p + 1)
	}
	return p
}

// jsFunction tells whether the expression at p is a function or a class; "" for neither.
func (s *scan) jsFunction(p int) code.Kind {
	if s.wordAt(p, "async") {
		p = s.skip(p + len("async"))
	}
	switch {
	case s.wordAt(p, "function"):
		return code.KindFunc
	case s.wordAt(p, "class"):
		return code.KindType
	}
	if s.code[p] == '<' {
		p = s.skip(s.angles(p))
	}
	if s.code[p] == '(' {
		c := s.closeOf(p)
		if c < 0 {
			return ""
		}
		p = s.skip(c + 1)
		if s.code[p] == ':' { // a result type
			for budget := 200; budget > 0 && p < len(s.src) && s.code[p] != '\n' && s.code[p] != ';'; budget-- {
				if s.code[p] == '=' && s.code[p+1] == '>' {
					return code.KindFunc
				}
				if c := s.code[p]; c == '{' || c == '(' || c == '[' {
					if p = s.closeOf(p); p < 0 {
						return ""
					}
				}
				p++
			}
			return ""
		}
	} else {
		e := s.word(p)
		if e == p {
			return ""
		}
		p = s.skip(e)
	}
	if s.code[p] == '=' && s.code[p+1] == '>' {
		return code.KindFunc
	}
	return ""
}

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
