package chunker

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// bashTable is the table of Bash.
func bashTable() *language {
	bash := &language{
		lineComments: hash, commentAt: afterBlank,
		quoted: map[byte]stringRule{'"': {escapes: true, lines: true, bounded: true, interp: "$("},
			'\'': {lines: true, bounded: true}},
		extra: `<\`, special: bashSpecial,
		noDecls: true, define: defineBash, continues: bracketContinues, newlines: true,
	}
	return bash
}

func bashSpecial(s *scan, i int, c byte) int {
	switch c {
	case '\\':
		return min(i+2, len(s.src))
	case '<':
		return s.heredocAt(i, "<<", "- ", heredoc{}, isLetter)
	case '\'':
		if i > 0 && s.src[i-1] == '$' {
			return s.inString(i+1, stringRule{close: "'", escapes: true, lines: true, bounded: true})
		}
	}
	return i
}

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

func (s *scan) shellWord(p int) int {
	for isWord(s.code[p]) || strings.IndexByte("-:.+@/!?", s.code[p]) >= 0 {
		p++
	}
	return p
}
