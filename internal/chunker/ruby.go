package chunker

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// rubyTable is the table of Ruby.
func rubyTable() *language {
	ruby := &language{
		lineComments: hash, blockComments: nil, extra: "=%/<_", special: rubySpecial, longRegexps: true,
		quoted: map[byte]stringRule{'"': {escapes: true, lines: true, bounded: true, interp: "#{"},
			'\'': {escapes: true, lines: true, bounded: true}, '`': {escapes: true, interp: "#{"}},
		define: byWords, other: rubyOther, continues: rubyContinues, indented: true,
		words: table("private protected public private_class_method module_function public_class_method memoize",
			"if else elsif for while until case when return unless begin rescue ensure end do yield raise", kinds{
				code.KindType: "class", code.KindModule: "module",
			}),
	}
	ruby.words["def"] = word{act: defines, kind: code.KindFunc, name: nameRubyDef}
	for _, w := range []string{"attr_accessor", "attr_reader", "attr_writer"} {
		ruby.words[w] = word{act: defines, kind: code.KindValue, name: nameRubySymbols}
	}
	for _, w := range []string{"alias_method", "define_method", "alias"} {
		ruby.words[w] = word{act: defines, kind: code.KindFunc, name: nameRubySymbols}
	}
	return ruby
}

// rubySpecial reads =begin comments, __END__, heredocs, % literals and regular expressions.
func rubySpecial(s *scan, i int, c byte) int {
	switch c {
	case '=':
		if strings.HasPrefix(s.src[i:], "=begin") && (i == 0 || s.src[i-1] == '\n') {
			end := strings.Index(s.src[i:], "\n=end")
			if end < 0 {
				return s.comment(i, len(s.src))
			}
			return s.comment(i, i+end+len("\n=end"))
		}
	case '_':
		if strings.HasPrefix(s.src[i:], "__END__\n") && (i == 0 || s.src[i-1] == '\n') {
			return s.comment(i, len(s.src))
		}
	case '<':
		return s.heredocAt(i, "<<", "-~", heredoc{}, func(c byte) bool { return c >= 'A' && c <= 'Z' })
	case '%':
		return s.percent(i)
	case '/':
		return jsSpecial(s, i, c)
	case '"', '\'', '`':
		if i > 0 && (s.src[i-1] == '?' || s.src[i-1] == '$') && (i < 2 || !isWord(s.src[i-2])) {
			return i + 1 // the character ?", the variable $"
		}
	}
	return i
}

// percent reads %w[…], %q(…), %r{…} and the like at i.
func (s *scan) percent(i int) int {
	j := i + 1
	if j < len(s.src) && strings.IndexByte("wWqQriIxs", s.src[j]) >= 0 {
		j++
	} else if !s.regexpMayStart(i) {
		return i
	}
	if j >= len(s.src) || strings.IndexByte("([{<|!/", s.src[j]) < 0 || i > 0 && isWord(s.src[i-1]) {
		return i
	}
	return s.delimited(j, i)
}

// delimited masks the literal whose opening delimiter is at j, its own brackets counted; fail where it does not end
// nearby.
func (s *scan) delimited(j, fail int) int {
	open := s.src[j]
	shut := open
	switch open {
	case '(', '[', '{':
		shut = closer(open)
	case '<':
		shut = '>'
	}
	depth := 0
	for k := j; k < min(len(s.src), j+looseLimit); k++ {
		switch c := s.src[k]; {
		case c == '\\':
			k++
		case c == shut && k > j:
			if depth--; depth == 0 {
				s.mask(j+1, k, hidString)
				return k + 1
			}
		case c == open:
			depth++
		}
	}
	s.steps += looseLimit
	if s.strayQuotes++; s.strayQuotes > maxStrays {
		return min(j+looseLimit, len(s.src))
	}
	return fail
}

func rubyContinues(s *scan, p int) continuation {
	c := s.code[p]
	if isCloser(c) {
		return continues
	}
	if c != 'e' && c != 'r' && c != 'w' && c != 'p' && c != 'm' {
		return ended
	}
	switch string(s.code[p:s.word(p)]) {
	case "end":
		return lastLine
	case "else", "elsif", "rescue", "ensure", "when":
		return continues
	case "private", "protected", "public", "module_function":
		return inType
	}
	return ended
}

// nameRubyDef reads the name of a method, which may be an operator or end with ?, ! or =.
func nameRubyDef(s *scan, d def, p int) {
	e := s.word(p)
	if e > p && s.code[e] == '.' {
		if q := s.src[p:e]; q != "self" {
			d.parent = q
		}
		p = e + 1
		e = s.word(p)
	}
	if e == p {
		for e < p+3 && (isOperator(s.code[e]) || s.code[e] == '[' || s.code[e] == ']' || s.code[e] == '`') {
			e++
		}
	} else if c := s.code[e]; c == '?' || c == '!' || c == '=' && s.code[e+1] != '=' && s.code[e+1] != '~' &&
		s.code[e+1] != '>' {
		e++
	}
	d.name, d.at, d.after = s.src[p:e], p, e
	s.add(d)
}

// nameRubySymbols reads the names of attr_reader :a, :b.
func nameRubySymbols(s *scan, d def, p int) {
	if s.code[p] == '(' {
		p = s.skip(p + 1)
	}
	d.value = true
	n := len(s.syms)
	for range 32 {
		if s.code[p] == ':' {
			p++
		}
		e := s.word(p)
		if e == p {
			return
		}
		if c := s.code[e]; d.kind == code.KindFunc && (c == '?' || c == '!') {
			e++
		}
		if len(s.syms) == n {
			d.name, d.at, d.after = s.src[p:e], p, e
			s.add(d)
		} else {
			s.alias(s.src[p:e])
		}
		if p = s.skip(e); d.kind == code.KindFunc || s.code[p] != ',' || s.code[s.skip(p+1)] != ':' {
			return
		}
		p = s.skip(p + 1)
	}
}

// rubyOther finds constants.
func rubyOther(s *scan, ln, p, mods int) {
	if c := s.code[p]; c < 'A' || c > 'Z' || s.inFunc() {
		return
	}
	e := s.word(p)
	q := s.skip(e)
	if s.code[q] != '=' || s.code[q+1] == '=' || s.code[q+1] == '~' {
		return
	}
	d := def{kind: code.KindValue, line: ln, name: s.src[p:e], at: p, after: e, value: true}
	v := s.skip(q + 1)
	for _, maker := range []string{"Struct.new", "Class.new", "Data.define", "Module.new"} {
		if strings.HasPrefix(s.src[v:], maker) {
			d.kind = code.KindType
		}
	}
	s.add(d)
}
