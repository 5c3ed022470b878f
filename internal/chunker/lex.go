package chunker

import "strings"

// What the masked text holds in place of what is hidden. Line ends stay, and so do the quotes of a string.
const (
	hidComment = ' '
	hidString  = 1
)

// class says what lex does at a byte.
type class uint8

const (
	plain class = iota
	newline
	opening
	closing
	special // may begin a comment or a string: ask special
)

// pending is an entry of the stack of lex: an opening bracket, or a string that an interpolation interrupts.
type pending struct {
	open int        // index in opens; -1 for an interpolation
	char byte       // the closing bracket awaited
	str  stringRule // the string to go on with
}

const byteOrderMark = "\ufeff"

// lex finds comments, strings and brackets and masks the code.
func (s *scan) lex() {
	src, classes := s.src, &s.lang.classes
	i := 0
	if strings.HasPrefix(src, byteOrderMark) {
		i = len(byteOrderMark)
		s.mask(0, i, hidComment)
	}
	if s.lang.start != nil {
		i = s.lang.start(s)
	}
	for i < len(src) {
		switch c := src[i]; classes[c] {
		case plain:
			i++
		case newline:
			i++
			if len(s.heredocs) > 0 {
				i = s.skipHeredocs(i)
			}
		case opening:
			s.stack = append(s.stack, pending{open: len(s.opens), char: closer(c)})
			s.opens = append(s.opens, bracket{pos: i, close: -1})
			i++
		case closing:
			i = s.closeAt(i, c)
		default:
			i = s.specialAt(i, c)
		}
	}
}

func closer(c byte) byte {
	switch c {
	case '(':
		return ')'
	case '[':
		return ']'
	}
	return '}'
}

// closeAt matches the closing bracket c at i. A brace closes over round and square brackets that were forgotten; those
// close nothing but their own kind.
func (s *scan) closeAt(i int, c byte) int {
	for top := len(s.stack) - 1; top >= s.base; top-- {
		p := s.stack[top]
		if p.char != c {
			if c == '}' && p.open >= 0 && p.char != '}' {
				s.stack = s.stack[:top]
				continue
			}
			return i + 1
		}
		s.stack = s.stack[:top]
		if p.open < 0 {
			return s.inString(i+1, p.str)
		}
		s.opens[p.open].close = i
		return i + 1
	}
	return i + 1
}

// specialAt handles a byte that may begin a comment, a string or a directive, and returns where code goes on.
func (s *scan) specialAt(i int, c byte) int {
	s.steps++
	rest := s.src[i:]
	for _, open := range s.lang.lineComments {
		if strings.HasPrefix(rest, open) && (s.lang.commentAt == nil || s.lang.commentAt(s, i, len(open))) {
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			return s.comment(i, i+end)
		}
	}
	for _, b := range s.lang.blockComments {
		if strings.HasPrefix(rest, b.open) {
			return s.comment(i, s.blockEnd(i+len(b.open), b))
		}
	}
	if s.lang.special != nil {
		if end := s.lang.special(s, i, c); end > i {
			return end
		}
	}
	if spec := s.lang.quotes[c]; spec != nil {
		if spec.triple && len(rest) >= 3 && rest[1] == c && rest[2] == c {
			return s.tripleString(i, c)
		}
		return s.inString(i+1, *spec)
	}
	if classOfBracket(c) == opening {
		s.stack = append(s.stack, pending{open: len(s.opens), char: closer(c)})
		s.opens = append(s.opens, bracket{pos: i, close: -1})
	}
	return i + 1
}

func classOfBracket(c byte) class {
	switch c {
	case '(', '[', '{':
		return opening
	case ')', ']', '}':
		return closing
	}
	return plain
}

// blockEnd is the offset after the end of a block comment whose inside starts at i.
func (s *scan) blockEnd(i int, b blockComment) int {
	if !b.nested {
		if end := strings.Index(s.src[i:], b.close); end >= 0 {
			return i + end + len(b.close)
		}
		return len(s.src)
	}
	for depth := 1; i < len(s.src); {
		switch c := s.src[i]; {
		case c == b.close[0] && strings.HasPrefix(s.src[i:], b.close):
			i += len(b.close)
			if depth--; depth == 0 {
				return i
			}
		case c == b.open[0] && strings.HasPrefix(s.src[i:], b.open):
			i += len(b.open)
			depth++
		default:
			i++
		}
	}
	return len(s.src)
}

// comment records src[from:to] as comment and returns to.
func (s *scan) comment(from, to int) int {
	s.comments = append(s.comments, [2]int{from, to})
	s.mask(from, to, hidComment)
	return to
}

func (s *scan) mask(from, to int, with byte) {
	s.steps += to - from
	hidden := s.code[from:to]
	for i, c := range hidden {
		if c != '\n' {
			hidden[i] = with
		}
	}
}

// layout finds the lines of the masked text.
func (s *scan) layout() {
	code := s.code[:len(s.src)]
	for at := 0; at < len(code); {
		l := line{start: at}
		for at < len(code) && isSpace(s.src[at]) && code[at] != hidString {
			if code[at] == '\t' {
				l.indent += 4
			} else {
				l.indent++
			}
			at++
		}
		for at < len(code) && isSpace(code[at]) { // a comment before the code
			at++
		}
		l.first = at
		end := strings.IndexByte(s.src[at:], '\n')
		if end < 0 {
			end = len(code)
		} else {
			end += at
		}
		switch {
		case at == end:
			if l.first = l.start + blanks(s.src[l.start:end]); l.first < end {
				l.kind = commentLine
			}
		case code[at] == hidString:
			l.kind = stringLine
		default:
			l.kind = codeLine
		}
		s.lines = append(s.lines, l)
		at = end + 1
	}
}

// isSpace reports a blank that is not a line end.
func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' }

// blanks is the number of blanks that text begins with.
func blanks(text string) int {
	n := 0
	for n < len(text) && isSpace(text[n]) {
		n++
	}
	return n
}
