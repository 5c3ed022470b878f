package chunker

import "strings"

func nameItself(name string) func(s *scan, d def, p int) {
	return func(s *scan, d def, p int) {
		switch s.code[p] {
		case '(', '{', '?', '!', '<':
			d.name, d.after = name, p
			s.add(d)
		}
	}
}

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

// endsWith reports whether the code before p, blanks aside, ends with the word w.
func (s *scan) endsWith(p int, w string) bool {
	for p > 0 && isSpace(s.code[p-1]) {
		p--
	}
	return p >= len(w) && string(s.code[p-len(w):p]) == w && (p == len(w) || !isWord(s.code[p-len(w)-1]))
}

// nameFollows, for words that may be plain names too, wants an identifier on the same line.
func nameFollows(s *scan, _, p int) bool {
	q := s.skip(p)
	e := s.word(q)
	return q > p && e > q
}

// wordFollows wants anything that a statement may go on with after a modifier.
func wordFollows(s *scan, _, p int) bool {
	q := s.skip(p)
	switch c := s.code[q]; c {
	case '*', '#', '[', '{', '`', '"', '\'', '@':
		return true
	default:
		return q > p && isWord(c) || c == '$'
	}
}

func outsideFunc(s *scan, _, _ int) bool { return !s.inFunc() }
