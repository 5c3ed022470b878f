package chunker

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// sqlSpecial reads dollar-quoted bodies.
func sqlSpecial(s *scan, i int, c byte) int {
	if c != '$' || i > 0 && isWord(s.src[i-1]) {
		return i
	}
	e := i + 1
	for e < len(s.src) && isWord(s.src[e]) && e < i+40 {
		e++
	}
	if e >= len(s.src) || s.src[e] != '$' || s.heredocUnclosed {
		return i
	}
	tag := s.src[i : e+1]
	k := strings.Index(s.src[e+1:], tag)
	if k < 0 {
		s.heredocUnclosed = true
		return i
	}
	s.mask(e+1, e+1+k, hidString)
	return e + 1 + k + len(tag)
}

// defineSQL finds CREATE statements.
func defineSQL(s *scan, ln int) {
	p := s.lines[ln].first
	e := s.word(p)
	if e-p != 6 || !strings.EqualFold(s.src[p:e], "create") {
		return
	}
	d := def{line: ln, value: true}
	for range 10 {
		p = s.skip(e)
		if e = s.word(p); e == p {
			return
		}
		switch strings.ToLower(s.src[p:e]) {
		case "table", "view", "type", "domain":
			d.kind = code.KindType
		case "function", "procedure", "trigger", "aggregate":
			d.kind = code.KindFunc
		case "index", "sequence", "policy", "extension", "role", "user":
			d.kind = code.KindValue
		case "schema", "database":
			d.kind = code.KindModule
		}
		if d.kind != "" {
			break
		}
	}
	for range 4 {
		q := s.skip(e)
		k := s.word(q)
		switch strings.ToLower(s.src[q:k]) {
		case "if", "not", "exists", "concurrently":
			e = k
			continue
		}
		s.sqlName(d, q)
		return
	}
}

// sqlName reads schema.name, either part in quotes or not.
func (s *scan) sqlName(d def, p int) {
	quotes := "\"`[]"
	for range 3 {
		q := p
		for strings.IndexByte(quotes, s.code[q]) >= 0 {
			q++
		}
		e := s.word(q)
		if e == q {
			return
		}
		if q > p { // to the closing quote, blanks included
			if k := strings.IndexAny(s.src[e:min(e+100, len(s.src))], "\"`]\n"); k > 0 && s.src[e+k] != '\n' {
				e += k
			}
		}
		end := e
		for strings.IndexByte(quotes, s.code[end]) >= 0 {
			end++
		}
		if s.code[end] == '.' {
			d.parent, p = s.src[q:e], end+1
			continue
		}
		d.name, d.at, d.after = s.src[q:e], q, end
		n := len(s.syms)
		s.add(d)
		if len(s.syms) > n {
			s.syms[n].Kind = d.kind
		}
		return
	}
}
