package chunker

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// luaTable is the table of Lua.
func luaTable() *language {
	lua := &language{
		lineComments: []string{"--"}, strings: `"'`, extra: "[", special: luaSpecial,
		commentAt: func(s *scan, i, n int) bool { return longBracket(s.src, i+n) == 0 },
		define:    byWords, other: luaOther, continues: rubyContinues, indented: true,
		words: table("local", "if for while repeat until return end else elseif do goto break", nil),
	}
	lua.words["function"] = word{act: defines, kind: code.KindFunc, name: nameLua}
	return lua
}

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
