package chunker

import "strings"

// stringRule says how a string literal goes on and ends.
type stringRule struct {
	close   string
	escapes bool   // a backslash hides the byte after it
	doubled bool   // the closing quote twice stands for itself
	lines   bool   // may hold line ends
	bounded bool   // one that is not closed within looseLimit bytes ends on its first line
	interp  string // opens an interpolated expression, which ends at the matching bracket
	triple  bool   // three quotes open a long string
}

// looseLimit bounds how far a stray quote can reach in languages whose plain strings may span lines. Past it the quote
// is taken for something that this lexer does not know.
const looseLimit = 4000

// maxStrays is how many stray quotes a file may have before its plain strings are taken to end on their line.
const maxStrays = 16

// inString goes on inside the string q at i, masks it and returns where code goes on.
func (s *scan) inString(i int, q stringRule) int {
	src, last := s.src, q.close[0]
	if q.bounded && s.strayQuotes > maxStrays {
		q.bounded, q.lines = false, false
	}
	lineEnd := -1
	for j := i; j < len(src); j++ {
		switch c := src[j]; {
		case c == last && strings.HasPrefix(src[j:], q.close):
			if q.doubled && strings.HasPrefix(src[j+len(q.close):], q.close) {
				j += 2*len(q.close) - 1
				continue
			}
			if end := j + len(q.close); lineEnd >= 0 && q.close != "\n" {
				s.mask(i, end, hidString) // with the quote: its line may begin with it, and that is no code
				return end
			}
			s.mask(i, j, hidString)
			return j + len(q.close)
		case c == '\\' && q.interp == `\(` && j+1 < len(src) && src[j+1] == '(',
			q.interp != "" && c == q.interp[0] && c != '\\' && strings.HasPrefix(src[j:], q.interp):
			s.mask(i, j, hidString)
			j += len(q.interp)
			s.stack = append(s.stack, pending{open: -1, char: closer(q.interp[len(q.interp)-1]), str: q})
			return j
		case c == '\\' && q.escapes:
			j++
		case c == '\n' && !q.lines:
			s.mask(i, j, hidString)
			return j
		case c == '\n' && lineEnd < 0:
			lineEnd = j
		}
		if q.bounded && j-i > looseLimit {
			if s.strayQuotes++; lineEnd < 0 {
				lineEnd = j
			}
			s.steps += j - lineEnd
			s.mask(i, lineEnd, hidString)
			return lineEnd
		}
	}
	s.mask(i, len(src), hidString)
	return len(src)
}

// tripleString handles three or more quotes c at i.
func (s *scan) tripleString(i int, c byte) int {
	n := 3
	for s.lang.longQuotes && i+n < len(s.src) && s.src[i+n] == c {
		n++
	}
	quotes, j := s.src[i:i+n], i+n
	end := len(s.src)
	for j < len(s.src) {
		k := strings.Index(s.src[j:], quotes)
		if k < 0 {
			break
		}
		j += k
		if s.lang.rawTriple || !escaped(s.src, j) {
			end = j + n
			for !s.lang.longQuotes && end < len(s.src) && s.src[end] == c {
				end++ // a quote before the closing three
			}
			break
		}
		j++
	}
	if s.lang.docStrings {
		s.comments = append(s.comments, [2]int{i, end})
		s.mask(i, end, hidString)
		return end
	}
	s.mask(min(i+n, end), end, hidString)
	return end
}

// escaped reports whether an odd number of backslashes precedes src[i].
func escaped(src string, i int) bool {
	n := 0
	for n < i && src[i-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

// A heredoc is one whose body begins on the next line.
type heredoc struct {
	word   string
	indent bool // the closing word may be indented
	suffix bool // more may follow the closing word
}

// skipHeredocs masks the bodies of the heredocs that wait, from the line start i on.
func (s *scan) skipHeredocs(i int) int {
	for _, h := range s.heredocs {
		end := s.heredocEnd(i, h)
		if end < 0 {
			s.heredocUnclosed = true
			break
		}
		s.mask(i, end, hidString)
		i = end
	}
	s.heredocs = s.heredocs[:0]
	return i
}

// heredocEnd is the end of the line that closes h, without its line end, or -1.
func (s *scan) heredocEnd(i int, h heredoc) int {
	for i < len(s.src) {
		end := strings.IndexByte(s.src[i:], '\n')
		if end < 0 {
			end = len(s.src)
		} else {
			end += i
		}
		text := s.src[i:end]
		if h.indent {
			text = text[blanks(text):]
		}
		if text == h.word || h.suffix && strings.HasPrefix(text, h.word) &&
			(len(text) == len(h.word) || !isWord(text[len(h.word)])) {
			return end
		}
		s.steps += end + 1 - i
		i = end + 1
	}
	return -1
}

// heredocAt records the heredoc whose operator op is at i and returns where code goes on, or i where it is none.
func (s *scan) heredocAt(i int, op string, flags string, h heredoc, bare func(byte) bool) int {
	if s.heredocUnclosed || !strings.HasPrefix(s.src[i:], op) {
		return i
	}
	j := i + len(op)
	if j < len(s.src) && s.src[j] == '<' {
		return i
	}
	for j < len(s.src) && strings.IndexByte(flags, s.src[j]) >= 0 {
		h.indent = h.indent || s.src[j] == '-' || s.src[j] == '~'
		j++
	}
	quote := byte(0)
	if j < len(s.src) && (s.src[j] == '\'' || s.src[j] == '"' || s.src[j] == '\\') {
		quote = s.src[j]
		j++
	} else if j >= len(s.src) || !bare(s.src[j]) {
		return i
	}
	end := j
	for end < len(s.src) && isWord(s.src[end]) && end-j < 64 {
		end++
	}
	if end == j {
		return i
	}
	h.word = s.src[j:end]
	if quote == '\'' || quote == '"' {
		if end >= len(s.src) || s.src[end] != quote {
			return i
		}
		end++
	}
	if len(s.heredocs) < 8 {
		s.heredocs = append(s.heredocs, h)
	}
	return end
}

// isWord reports a byte of an identifier; bytes of letters outside ASCII count.
func isWord(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}
