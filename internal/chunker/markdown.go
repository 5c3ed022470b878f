package chunker

import "strings"

// defineMarkdown finds headings outside fenced code. s.group holds the fence.
func defineMarkdown(s *scan, ln int) {
	l := s.lines[ln]
	c := s.code[l.first]
	if c == '`' || c == '~' {
		n := 1
		for s.code[l.first+n] == c {
			n++
		}
		if n >= 3 {
			switch {
			case s.group.last == 0:
				s.group = group{last: n, mark: s.src[l.first : l.first+1]}
			case n >= s.group.last && s.group.mark == s.src[l.first:l.first+1]:
				s.group = group{}
			}
			return
		}
	}
	if s.group.last > 0 || l.indent > 3 {
		return
	}
	if c == '#' {
		n := 1
		for s.code[l.first+n] == '#' {
			n++
		}
		if n <= 6 && (isSpace(s.code[l.first+n])) {
			s.section(ln, n, strings.TrimSpace(strings.TrimRight(s.lineText(ln)[n:], "# ")))
		}
		return
	}
	if (c == '=' || c == '-') && ln > 0 && s.lines[ln-1].kind == codeLine && s.last == ln-1 {
		text := s.lineText(ln)
		if len(text) >= 2 && strings.Trim(text, text[:1]) == "" {
			above := s.lineText(ln - 1)
			level := 1
			if c == '-' {
				level = 2
			}
			if len(above) < 200 && strings.IndexByte("-#>|*`+", above[0]) < 0 && s.lines[ln-1].indent <= 3 &&
				!s.headingAt(ln-1) {
				s.heading(ln-1, level, above)
			}
		}
	}
}

// heading adds the heading of line ln, the line before the current one.
func (s *scan) heading(ln, level int, name string) {
	last := s.last
	s.last = max(ln-1, 0)
	s.section(ln, level, name)
	s.last = last
}

// headingAt reports whether line ln is a heading already.
func (s *scan) headingAt(ln int) bool {
	n := len(s.syms)
	return n > 0 && s.syms[n-1].Line > ln
}

// defineRST finds titles with a line of punctuation below. s.group.mark holds the marks seen, in order of level.
func defineRST(s *scan, ln int) {
	l := s.lines[ln]
	c := s.code[l.first]
	if l.indent > 0 || ln == 0 || strings.IndexByte("=-~^\"'`#*+.:_", c) < 0 || s.lines[ln-1].kind != codeLine ||
		s.lines[ln-1].indent > 0 {
		return
	}
	text, above := s.lineText(ln), s.lineText(ln-1)
	if len(text) < 3 || len(above) > len(text)+1 || strings.Trim(text, text[:1]) != "" || above[0] == c ||
		s.headingAt(ln-1) {
		return
	}
	marks := s.group.mark
	level := strings.IndexByte(marks, c)
	if level < 0 {
		level = len(marks)
		s.group.mark = marks + string(c)
	}
	s.heading(ln-1, level+1, above)
}
