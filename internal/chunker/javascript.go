package chunker

import "github.com/contextd/contextd/internal/code"

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
