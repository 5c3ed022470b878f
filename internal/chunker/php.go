package chunker

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// phpTable is the table of PHP.
func phpTable() *language {
	php := &language{
		lineComments: []string{"//", "#"}, blockComments: cBlock, commentAt: func(s *scan, i, n int) bool {
			return n == 2 || i+1 >= len(s.src) || s.src[i+1] != '['
		},
		quoted: map[byte]stringRule{'"': {escapes: true, lines: true, bounded: true, interp: "{$"},
			'\'': {escapes: true, lines: true, bounded: true}}, extra: "?<", special: phpSpecial,
		start:  func(s *scan) int { return s.phpText(0) },
		define: byWords, other: phpProperty, continues: bracketContinues, annotations: '#',
		words: table("public private protected static final abstract readonly var",
			"if else elseif for foreach while do switch case return echo throw new use try catch require include",
			kinds{
				code.KindType: "class interface trait enum", code.KindFunc: "function", code.KindModule: "namespace",
			}),
	}
	php.words["const"] = word{act: defines, kind: code.KindValue, value: true, name: func(s *scan, d def, p int) {
		if e := s.word(p); isWord(s.code[s.skip(e)]) { // const string NAME
			p = s.skip(e)
		}
		s.named(d, p)
	}}
	php.words["enum"] = word{act: defines, kind: code.KindType, when: nameFollows}
	return php
}

func phpSpecial(s *scan, i int, c byte) int {
	switch {
	case c == '<':
		return s.heredocAt(i, "<<<", " ", heredoc{indent: true, suffix: true}, isLetter)
	case c == '?' && strings.HasPrefix(s.src[i:], "?>"):
		return s.phpText(i + 2)
	}
	return i
}

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
