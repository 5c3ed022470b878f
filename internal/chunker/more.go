package chunker

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// nameItself names a definition by the word that begins it, such as init.
func nameItself(name string) func(s *scan, d def, p int) {
	return func(s *scan, d def, p int) {
		switch s.code[p] {
		case '(', '{', '?', '!', '<':
			d.name, d.after = name, p
			s.add(d)
		}
	}
}

// nameOrOperator reads a name, or an operator that is defined like a function.
func nameOrOperator(s *scan, d def, p int) {
	if s.code[p] == '`' {
		s.named(d, p)
		return
	}
	e := s.word(p)
	if e > p && s.code[e-1] != '_' {
		s.named(d, p)
		return
	}
	for e < p+8 && isOperator(s.code[e]) {
		e++
	}
	d.name, d.at, d.after = s.src[p:e], p, e
	s.add(d)
}

// nameQuoted reads a name that is a string: test "adds" {.
func nameQuoted(s *scan, d def, p int) {
	if s.code[p] != '"' {
		s.named(d, p)
		return
	}
	e := strings.IndexAny(s.src[p+1:min(p+200, len(s.src))], "\"\n")
	if e <= 0 {
		return
	}
	d.name, d.at, d.after = s.src[p+1:p+1+e], p, p+1+e
	s.add(d)
}

// nameKotlin reads the name of a function or property after its type parameters and receiver: <T> List<T>.name.
func nameKotlin(s *scan, d def, p int) {
	if s.wordAt(p, "interface") { // fun interface
		d.kind = code.KindType
		s.named(d, s.skip(p+len("interface")))
		return
	}
	if s.code[p] == '<' {
		p = s.skip(s.angles(p))
	}
	receiver := ""
	for range 8 {
		e := s.word(p)
		if s.code[p] == '`' {
			d.parent = receiver
			s.named(d, p)
			return
		}
		if e == p {
			return
		}
		name := s.src[p:e]
		q := e
		if s.code[q] == '<' {
			q = s.angles(q)
		}
		if s.code[q] == '?' {
			q++
		}
		if s.code[q] != '.' {
			d.name, d.parent, d.at, d.after = name, receiver, p, q
			s.add(d)
			return
		}
		receiver, p = name, q+1
	}
}

// csharpSpecial reads verbatim and interpolated strings and the conditionals of the preprocessor.
func csharpSpecial(s *scan, i int, c byte) int {
	if c == '#' {
		if !s.atLineStart(i) {
			return i
		}
		s.conditional(s.skipSrc(i + 1))
		end := i + 1
		for end < len(s.src) && s.src[end] != '\n' {
			end++
		}
		s.mask(i, end, hidComment) // a directive may stand anywhere, like a comment
		return end
	}
	if c != '"' || i == 0 {
		return i
	}
	a, b := s.src[i-1], byte(0)
	if i > 1 {
		b = s.src[i-2]
	}
	switch {
	case a == '@' && b == '$' || a == '$' && b == '@':
		return s.inString(i+1, str{close: `"`, doubled: true, lines: true, interp: "{"})
	case a == '@':
		return s.inString(i+1, str{close: `"`, doubled: true, lines: true})
	case a == '$' && !strings.HasPrefix(s.src[i:], `"""`):
		return s.inString(i+1, str{close: `"`, escapes: true, interp: "{"})
	}
	return i
}

// swiftSpecial reads raw strings: #"…"#.
func swiftSpecial(s *scan, i int, c byte) int {
	j := i
	for j > 0 && s.src[j-1] == '#' {
		j--
	}
	if c != '"' || j == i {
		return i
	}
	quotes := `"`
	if strings.HasPrefix(s.src[i:], `"""`) {
		quotes = `"""`
	}
	return s.inString(i+len(quotes), str{close: quotes + s.src[j:i], lines: len(quotes) == 3})
}

// scalaSpecial tells characters from symbols and reads interpolated strings.
func scalaSpecial(s *scan, i int, c byte) int {
	switch {
	case c == '\'':
		return s.charOrMark(i)
	case c == '"' && i > 0 && isWord(s.src[i-1]) && !strings.HasPrefix(s.src[i:], `"""`):
		return s.inString(i+1, str{close: `"`, escapes: true, interp: "${"})
	}
	return i
}

// scalaContinues knows the "end name" of Scala 3.
func scalaContinues(s *scan, p int) continuation {
	if s.wordAt(p, "end") {
		return lastLine
	}
	return bracketContinues(s, p)
}

// phpSpecial reads heredocs and the text outside PHP tags.
func phpSpecial(s *scan, i int, c byte) int {
	switch {
	case c == '<':
		return s.heredocAt(i, "<<<", " ", heredoc{indent: true, suffix: true}, isLetter)
	case c == '?' && strings.HasPrefix(s.src[i:], "?>"):
		return s.phpText(i + 2)
	}
	return i
}

// phpText masks the text from i to the next opening tag and returns where the code after it begins.
func (s *scan) phpText(i int) int {
	k := strings.Index(s.src[i:], "<?")
	if k < 0 {
		s.mask(i, len(s.src), hidString)
		return len(s.src)
	}
	e := i + k + 2
	if strings.HasPrefix(s.src[e:], "php") {
		e += 3
	} else if e < len(s.src) && s.src[e] == '=' {
		e++
	}
	s.mask(i, e, hidString)
	return e
}

// phpProperty finds "public ?Type $name" and define('NAME', …).
func phpProperty(s *scan, ln, p, mods int) {
	d := def{kind: code.KindValue, line: ln, value: true}
	if s.wordAt(p, "define") && s.code[p+6] == '(' {
		q := p + 7
		e := strings.IndexAny(s.src[min(q+1, len(s.src)):min(q+80, len(s.src))], "'\"\n")
		if e > 0 {
			d.name, d.at, d.after = s.src[q+1:q+1+e], q, q+1+e
			s.add(d)
		}
		return
	}
	if mods == 0 || s.inFunc() {
		return
	}
	for budget := 80; budget > 0 && s.code[p] != '\n'; budget-- {
		switch c := s.code[p]; {
		case c == '$':
			e := s.word(p + 1)
			d.name, d.at, d.after = s.src[p+1:e], p, e
			s.add(d)
			return
		case isWord(c) || isSpace(c) || c == '?' || c == '|' || c == '\\' || c == '&':
			p++
		default:
			return
		}
	}
}

// elixirSpecial reads sigils and character literals.
func elixirSpecial(s *scan, i int, c byte) int {
	switch c {
	case '~':
		j := i + 1
		for j < len(s.src) && (s.src[j] >= 'a' && s.src[j] <= 'z' || s.src[j] >= 'A' && s.src[j] <= 'Z') && j < i+12 {
			j++
		}
		if j == i+1 || j >= len(s.src) || strings.IndexByte("([{<|/\"'", s.src[j]) < 0 {
			return i
		}
		if q := s.src[j]; (q == '"' || q == '\'') && strings.HasPrefix(s.src[j+1:], s.src[j:j+1]+s.src[j:j+1]) {
			return s.tripleString(j, q)
		}
		return s.delimited(j, i+1)
	case '"', '\'':
		if i > 0 && s.src[i-1] == '?' && (i < 2 || !isWord(s.src[i-2])) {
			return i + 1
		}
	}
	return i
}

// defineElixir finds definitions and module attributes.
func defineElixir(s *scan, ln int) {
	l := s.lines[ln]
	p := l.first
	if s.code[p] == '@' {
		e := s.word(p + 1)
		name := s.src[p+1 : e]
		q := s.skip(e)
		d := def{line: ln, kind: code.KindValue}
		switch name {
		case "type", "typep", "opaque":
			d.kind = code.KindType
			s.named(d, q)
		case "callback", "macrocallback":
			d.kind = code.KindDecl
			s.named(d, q)
		case "doc", "spec", "impl", "deprecated", "typedoc", "since", "dialyzer", "tag":
			for last := ln; last+1 < len(s.lines) && (s.lines[last+1].kind == codeLine && s.lines[last+1].indent > l.indent); {
				last++
				s.until = max(s.until, last)
			}
			s.attr = true
		case "moduledoc", "behaviour", "derive", "compile":
		default:
			if q > e && !s.inFunc() {
				d.name, d.at, d.after = name, p, e
				s.add(d)
			}
		}
		return
	}
	e := s.word(p)
	w, ok := s.lang.words[string(s.code[p:e])]
	if !ok || s.code[e] != ' ' {
		return
	}
	q := s.skip(e)
	d := def{kind: w.kind, line: ln}
	switch w.kind {
	case code.KindFunc:
		n := s.word(q)
		if c := s.code[n]; c == '?' || c == '!' {
			n++
		}
		if d.name = s.src[q:n]; d.name == "unquote" || s.merge(d.name, d.kind, ln) {
			return
		}
		d.at, d.after = q, n
		s.add(d)
	case code.KindImpl:
		for k := q; s.code[k] != '\n'; k++ {
			if s.wordAt(k, "for") && s.code[k+3] == ':' {
				if r := s.skip(k + 4); isWord(s.code[r]) {
					q = r
				}
				break
			}
		}
		s.named(d, q)
	default:
		s.named(d, q)
	}
}

// longBracket is the length of the opening long bracket of Lua at i, 0 where there is none.
func longBracket(src string, i int) int {
	if i >= len(src) || src[i] != '[' {
		return 0
	}
	j := i + 1
	for j < len(src) && src[j] == '=' {
		j++
	}
	if j < len(src) && src[j] == '[' {
		return j + 1 - i
	}
	return 0
}

// luaSpecial reads long strings and long comments.
func luaSpecial(s *scan, i int, c byte) int {
	comment := c == '-' && strings.HasPrefix(s.src[i:], "--")
	j := i
	if comment {
		j += 2
	}
	n := longBracket(s.src, j)
	if n == 0 {
		return i
	}
	shut := "]" + s.src[j+1:j+n-1] + "]"
	end := strings.Index(s.src[j+n:], shut)
	if end < 0 {
		end = len(s.src)
	} else {
		end += j + n + len(shut)
	}
	if comment {
		return s.comment(i, end)
	}
	s.mask(j+n, end, hidString)
	return end
}

// nameLua reads a.b:c.
func nameLua(s *scan, d def, p int) {
	first, e := p, s.word(p)
	for s.code[e] == '.' || s.code[e] == ':' {
		p = e + 1
		e = s.word(p)
	}
	if p > first {
		d.parent = s.src[first : p-1]
	}
	d.name, d.at, d.after = s.src[p:e], p, e
	s.add(d)
}

// luaOther finds functions and tables that are assigned.
func luaOther(s *scan, ln, p, mods int) {
	first, e := p, s.word(p)
	for e > p && (s.code[e] == '.' || s.code[e] == ':') {
		p = e + 1
		e = s.word(p)
	}
	q := s.skip(e)
	if e == p || s.code[q] != '=' || s.code[q+1] == '=' {
		return
	}
	d := def{kind: code.KindValue, line: ln, name: s.src[p:e], at: p, after: e}
	if p > first {
		d.parent = s.src[first : p-1]
	}
	v := s.skip(q + 1)
	switch {
	case s.wordAt(v, "function"):
		d.kind = code.KindFunc
	case s.lines[ln].indent > 0 || s.wordAt(v, "require"):
		return
	}
	s.add(d)
}

// nameZig reads the name of a constant and tells types from other values.
func nameZig(s *scan, d def, p int) {
	e := s.word(p)
	q := s.skip(e)
	if e == p || s.inFunc() {
		return
	}
	d.name, d.at, d.after = s.src[p:e], p, e
	if s.code[q] == '=' {
		v := s.skip(q + 1)
		for _, w := range []string{"packed", "extern"} {
			if s.wordAt(v, w) {
				v = s.skip(v + len(w))
			}
		}
		switch string(s.code[v:s.word(v)]) {
		case "struct", "enum", "union", "opaque", "error":
			d.kind, d.value, d.after = code.KindType, false, v
		}
		if strings.HasPrefix(s.src[v:], "@import") {
			return
		}
		if s.isReimport(v, d.name) {
			return
		}
	}
	s.add(d)
}

// isReimport reports that the expression at p is a path that ends with name: const Allocator = std.mem.Allocator.
func (s *scan) isReimport(p int, name string) bool {
	e := s.word(p)
	dotted := false
	for e > p && s.code[e] == '.' {
		dotted = true
		p = e + 1
		e = s.word(p)
	}
	return dotted && s.code[e] == ';' && s.src[p:e] == name
}

// bashSpecial reads heredocs and quoted bytes.
func bashSpecial(s *scan, i int, c byte) int {
	switch c {
	case '\\':
		return min(i+2, len(s.src))
	case '<':
		return s.heredocAt(i, "<<", "- ", heredoc{}, isLetter)
	case '\'':
		if i > 0 && s.src[i-1] == '$' {
			return s.inString(i+1, str{close: "'", escapes: true, lines: true, loose: true})
		}
	}
	return i
}

// defineBash finds functions, aliases and the variables set at the top.
func defineBash(s *scan, ln int) {
	l := s.lines[ln]
	p := l.first
	d := def{kind: code.KindFunc, line: ln}
	e := s.shellWord(p)
	function := string(s.code[p:e]) == "function"
	switch string(s.code[p:e]) {
	case "function":
		p = s.skip(e)
		e = s.shellWord(p)
	case "@test":
		nameQuoted(s, d, s.skip(e))
		return
	case "alias", "export", "readonly", "declare", "typeset":
		p = s.skip(e)
		for s.code[p] == '-' {
			p = s.skip(s.shellWord(p))
		}
		e = s.word(p)
	}
	if e == p {
		return
	}
	q := s.skip(e)
	if s.code[q] == '(' && s.code[s.skip(q+1)] == ')' {
		d.name, d.at, d.after = s.src[p:e], p, s.skip(q+1)+1
		s.add(d)
		return
	}
	if function {
		d.name, d.at, d.after = s.src[p:e], p, e
		s.add(d)
		return
	}
	if e = s.word(p); e > p && l.indent == 0 && (s.code[e] == '=' || s.code[e] == '+' && s.code[e+1] == '=') {
		if n := len(s.syms); n > 0 && s.syms[n-1].Name == s.src[p:e] {
			return
		}
		d.name, d.at, d.after, d.kind, d.value = s.src[p:e], p, e, code.KindValue, true
		s.add(d)
	}
}

func isLetter(c byte) bool { return isWord(c) && (c < '0' || c > '9') }

// shellWord is the offset after a word of Bash that may name a function.
func (s *scan) shellWord(p int) int {
	for isWord(s.code[p]) || strings.IndexByte("-:.+@/!?", s.code[p]) >= 0 {
		p++
	}
	return p
}

// perlSpecial reads heredocs and documentation.
func perlSpecial(s *scan, i int, c byte) int {
	switch c {
	case '<':
		return s.heredocAt(i, "<<", "~", heredoc{}, func(c byte) bool { return c >= 'A' && c <= 'Z' })
	case '=':
		if (i == 0 || s.src[i-1] == '\n') && i+1 < len(s.src) && s.src[i+1] >= 'a' && s.src[i+1] <= 'z' {
			end := strings.Index(s.src[i:], "\n=cut")
			if end < 0 {
				return s.comment(i, len(s.src))
			}
			return s.comment(i, i+end+len("\n=cut"))
		}
	case '"', '\'':
		if i > 0 && (s.src[i-1] == '$' || s.src[i-1] == '\\') {
			return i + 1
		}
	}
	return i
}

// defineR finds "name <- function".
func defineR(s *scan, ln int) {
	p := s.lines[ln].first
	e := p
	for isWord(s.code[e]) || s.code[e] == '.' {
		e++
	}
	q := s.skip(e)
	if e == p || !(s.code[q] == '=' && s.code[q+1] != '=' || s.code[q] == '<' && s.code[q+1] == '-') {
		return
	}
	d := def{kind: code.KindValue, line: ln, name: s.src[p:e], at: p, after: q + 2, value: true}
	if v := s.jsSkip(q + 2); s.wordAt(v, "function") {
		d.kind, d.value = code.KindFunc, false
	} else if s.lines[ln].indent > 0 {
		return
	}
	s.add(d)
}
