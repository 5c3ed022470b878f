package chunker

import "sort"

// lineAt is the index of the line that holds offset p.
func (s *scan) lineAt(p int) int {
	return sort.Search(len(s.lines), func(i int) bool { return s.lines[i].start > p }) - 1
}

// closeOf is the offset of the bracket that closes the one at p, or -1.
func (s *scan) closeOf(p int) int {
	i := sort.Search(len(s.opens), func(i int) bool { return s.opens[i].pos >= p })
	if i < len(s.opens) && s.opens[i].pos == p {
		return s.opens[i].close
	}
	return -1
}

// headLimit bounds, in bytes outside brackets, how far the body of a definition may be from its name.
const headLimit = 1200

type bodyEnd struct {
	known bool // the end is known
	body  bool // there is a body
}

// end finds the last line of d by its brackets: the body in braces, or else the end of the statement.
func (s *scan) end(d def, indent int) (int, bodyEnd) {
	code, p := s.code[:len(s.src)], d.after
	for budget := headLimit; p < len(code) && budget > 0; budget-- {
		s.steps++
		switch code[p] {
		case '{', '(', '[':
			c := s.closeOf(p)
			if c < 0 {
				return 0, bodyEnd{body: true}
			}
			if code[p] == '{' && !d.value && (s.lang.noBody == nil || !s.lang.noBody(s, d, p)) {
				end := s.lineAt(c)
				if s.lines[end].first == c && s.lines[end].indent < indent {
					return 0, bodyEnd{body: true} // brackets do not match here
				}
				return end, bodyEnd{true, true}
			}
			if p = c; code[p] == '}' && d.property {
				if q := s.skipAll(p + 1); q >= len(code) || code[q] != '=' && code[q] != ';' {
					return s.lineAt(p), bodyEnd{true, true}
				}
			}
		case ';':
			return s.lineAt(p), bodyEnd{known: true}
		case '}', ')', ']':
			return s.lineAt(p), bodyEnd{known: true}
		case '=':
			if !d.value && s.lang.equalsBody && p+1 < len(code) && code[p+1] != '=' && code[p+1] != '>' &&
				!isOperator(code[p-1]) {
				q := s.skipAll(p + 1)
				if q < len(code) && code[q] == '{' {
					p = q - 1
					break
				}
				return 0, bodyEnd{body: true}
			}
			if !d.value && p+1 < len(code) && code[p+1] == '>' {
				d.value = true // C#: => expression;
				end, ok := s.end(def{after: p + 2, value: true}, indent)
				ok.body = true
				return end, ok
			}
		case ':':
			if s.lang.colonBody && s.code[s.skip(p+1)] == '\n' {
				return 0, bodyEnd{body: true}
			}
		case '\n':
			if s.lang.newlines {
				q := s.skipAll(p)
				if q >= len(code) {
					return s.lineAt(p), bodyEnd{known: true}
				}
				if code[q] == hidString {
					p = q // inside a string
					break
				}
				if in := s.lines[s.lineAt(q)].indent; code[q] != '{' && code[q] != '>' && in <= indent &&
					!(isCloser(code[q]) && in == indent) {
					return s.lineAt(p), bodyEnd{known: true}
				}
				p = q - 1
			}
		}
		p++
	}
	return s.lineAt(min(p, len(code)-1)), bodyEnd{known: p >= len(code), body: p < len(code)}
}

func isCloser(c byte) bool { return c == ')' || c == ']' || c == '}' }

func isOperator(c byte) bool {
	switch c {
	case '<', '>', '=', '!', '+', '-', '*', '/', '%', '&', '|', '^', '~', ':', '?', '@', '#', '\\':
		return true
	}
	return false
}
