package chunker

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// perlTable is the table of Perl.
func perlTable() *language {
	perl := &language{
		lineComments: hash, commentAt: afterBlank,
		quoted: map[byte]stringRule{'"': {escapes: true, lines: true, bounded: true},
			'\'': {escapes: true, lines: true, bounded: true}}, extra: "<=", special: perlSpecial,
		define: byWords, continues: bracketContinues,
		words: table("", "if unless for foreach while my our local return use",
			kinds{code.KindFunc: "sub method", code.KindModule: "package", code.KindType: "class"}),
	}
	for _, w := range []string{"class", "method", "package"} {
		entry := perl.words[w]
		entry.when = nameFollows
		perl.words[w] = entry
	}
	return perl
}

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

// rTable is the table of R.
func rTable() *language {
	r := &language{lineComments: hash, quoted: map[byte]stringRule{'"': {escapes: true, lines: true, bounded: true},
		'\'': {escapes: true, lines: true, bounded: true}},
		noDecls: true, define: defineR, continues: bracketContinues, newlines: true}
	return r
}

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
