package chunker

import (
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// haskellTable is the table of Haskell.
func haskellTable() *language {
	haskell := &language{
		lineComments: []string{"--"}, blockComments: []blockComment{{open: "{-", close: "-}", nested: true}},
		strings: `"`, quoted: map[byte]stringRule{'\'': {}},
		commentAt: func(s *scan, i, n int) bool {
			j := i + n
			for j < len(s.src) && s.src[j] == '-' {
				j++
			}
			return j >= len(s.src) || !isHaskellSymbol(s.src[j])
		},
		special: func(s *scan, i int, c byte) int {
			if c == '\'' {
				if i > 0 && isWord(s.src[i-1]) {
					return i + 1
				}
				return s.charOrMark(i)
			}
			for c == '-' && i < len(s.src) && s.src[i] == '-' {
				i++ // an operator of many dashes, seen once
			}
			return i
		},
		define: defineHaskell, continues: pythonContinues, indented: true,
	}
	return haskell
}

func isHaskellSymbol(c byte) bool { return strings.IndexByte("!#$%&*+./<=>?@\\^|-~:", c) >= 0 }

// haskellWord is the offset after a name of Haskell, primes included.
func (s *scan) haskellWord(p int) int {
	for isWord(s.code[p]) || s.code[p] == '\'' {
		p++
	}
	return p
}

// defineHaskell finds declarations by their first word and functions by their signature or first clause.
func defineHaskell(s *scan, ln int) {
	l := s.lines[ln]
	p := l.first
	d := def{line: ln, kind: code.KindType}
	e := s.haskellWord(p)
	t := s.top()
	inClass := t != nil && (t.Kind == code.KindType || t.Kind == code.KindImpl)
	if l.indent > 0 && !inClass {
		return
	}
	switch first := s.src[p:e]; first {
	case "import", "infixl", "infixr", "infix", "deriving", "default", "where", "case", "if", "let", "in", "else",
		"then", "do", "of":
		if first == "deriving" && l.indent == 0 {
			d.kind = code.KindImpl
			if q := s.skip(e); s.wordAt(q, "instance") {
				s.haskellHead(d, s.skip(q+8), true)
			}
		}
		return
	case "module":
		d.kind = code.KindModule
		s.named(d, s.skip(e))
		return
	case "data", "newtype", "type", "class":
		q := s.skip(e)
		for _, w := range []string{"family", "instance"} {
			if s.wordAt(q, w) {
				q = s.skip(q + len(w))
			}
		}
		s.haskellHead(d, q, false)
		return
	case "instance":
		d.kind = code.KindImpl
		s.haskellHead(d, s.skip(e), true)
		return
	case "pattern":
		if q := s.skip(e); s.code[q] >= 'A' && s.code[q] <= 'Z' {
			d.kind = code.KindFunc
			p, e = q, s.haskellWord(q)
		}
	case "foreign":
		for q := e; s.code[q] != '\n'; q++ {
			if s.code[q] == ':' && s.code[q+1] == ':' {
				k := q
				for k > e && isSpace(s.code[k-1]) {
					k--
				}
				b := k
				for b > e && (isWord(s.code[b-1]) || s.code[b-1] == '\'') {
					b--
				}
				d.kind, d.name, d.at = code.KindFunc, s.src[b:k], b
				s.add(d)
				return
			}
		}
		return
	}
	name, at := s.src[p:e], p
	q := s.skip(e)
	if e == p { // (<+>) :: …
		c := -1
		if s.code[p] == '(' {
			c = s.closeOf(p)
		}
		if c < 0 || c > p+10 || c == p+1 || !isHaskellSymbol(s.code[p+1]) {
			return
		}
		name, q = s.src[p+1:c], s.skip(c+1)
	}
	d.kind, d.name, d.at = code.KindFunc, name, at
	k := q
	for s.code[k] == ',' { // f, g :: …
		k = s.skip(s.haskellWord(s.skip(k + 1)))
	}
	if k+1 < len(s.src) && s.code[k] == ':' && s.code[k+1] == ':' {
		if l.indent > 0 {
			if t.Kind == code.KindImpl {
				return
			}
			d.kind = code.KindDecl
		}
		if !s.merge(d.name, d.kind, ln) {
			s.add(d)
		}
		return
	}
	if l.indent > 0 && t.Kind == code.KindType {
		return // a default, or a field
	}
	// An infix definition is named by its operator: a <+> b = ….
	if c := s.code[q]; isHaskellSymbol(c) && c != '=' && c != '|' && c != '@' && c != '!' && c != '~' &&
		s.code[q+1] != '\n' {
		end := q
		for isHaskellSymbol(s.code[end]) {
			end++
		}
		d.name, d.at = s.src[q:end], q
	} else if c == '`' {
		end := s.haskellWord(q + 1)
		d.name, d.at = s.src[q+1:end], q
	}
	if s.merge(d.name, d.kind, ln) || !s.haskellEquation(ln, q) || d.name == "" || d.name[0] >= 'A' &&
		d.name[0] <= 'Z' && s.src[l.first] != 'p' {
		return
	}
	s.add(d)
}

// haskellEquation reports whether an "=" or a guard follows p in the clause that begins on line ln.
func (s *scan) haskellEquation(ln, p int) bool {
	for budget := 400; budget > 0 && p < len(s.src); budget-- {
		switch c := s.code[p]; c {
		case '=', '|':
			if !isHaskellSymbol(s.code[p-1]) && !isHaskellSymbol(s.code[p+1]) {
				return true
			}
		case '\n':
			if q := s.skipAll(p); q >= len(s.src) || s.lines[s.lineAt(q)].indent <= s.lines[ln].indent {
				return false
			}
		}
		p++
	}
	return false
}

// haskellHead reads the name in "context => Name a b"; of an instance the first type after the class.
func (s *scan) haskellHead(d def, p int, instance bool) {
	start, end := p, p
	for budget := 600; budget > 0 && end < len(s.src); budget-- {
		c := s.code[end]
		if c == '\n' {
			if q := s.skipAll(end); q >= len(s.src) || s.lines[s.lineAt(q)].indent <= s.lines[d.line].indent {
				break
			}
		}
		if c == '=' && s.code[end+1] == '>' {
			start = end + 2
		} else if c == '=' || c == '|' || s.wordAt(end, "where") || c == ':' && s.code[end+1] == ':' {
			break
		}
		end++
	}
	skipClass := instance
	for q := start; q < end; q++ {
		if c := s.code[q]; c < 'A' || c > 'Z' || q > 0 && isWord(s.code[q-1]) {
			continue
		}
		e := s.haskellWord(q)
		for s.code[e] == '.' && isWord(s.code[e+1]) {
			q = e + 1
			e = s.haskellWord(q)
		}
		d.name, d.at, d.after = s.src[q:e], q, e
		if !skipClass {
			break
		}
		skipClass = false
		q = e - 1
	}
	s.add(d)
}
