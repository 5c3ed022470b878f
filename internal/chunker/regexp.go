package chunker

// regexpMayStart tells a regular expression from a division by what precedes it.
func (s *scan) regexpMayStart(i int) bool {
	j := i
	for j > 0 && i-j < 64 && isSpace(s.src[j-1]) {
		j--
	}
	if j == 0 {
		return true
	}
	switch c := s.src[j-1]; c {
	case ')', ']', '}', '"', '\'', '`', '.':
		return false
	default:
		if !isWord(c) && c != '$' && c != '@' {
			return true
		}
	}
	k := j
	for k > 0 && j-k < 12 && isWord(s.src[k-1]) {
		k--
	}
	switch s.src[k:j] {
	case "return", "typeof", "case", "in", "of", "do", "else", "void", "delete", "yield", "await", "when", "if",
		"unless", "and", "or", "not", "elsif", "while", "until", "then":
		return true
	}
	return false
}

// regexp masks the regular expression at i. One that does not end on its line is a division, unless the language lets
// it span lines and it ends soon.
func (s *scan) regexp(i int) int {
	class, end := false, len(s.src)
	if s.lang.longRegexps {
		end = min(end, i+looseLimit)
	}
	for j := i + 1; j < end; j++ {
		switch s.src[j] {
		case '\n':
			if s.lang.longRegexps && s.strayQuotes <= maxStrays {
				continue
			}
			s.steps += j - i
			return i + 1
		case '\\':
			j++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				s.mask(i+1, j, hidString)
				return j + 1
			}
		}
	}
	s.strayQuotes++
	s.steps += end - i
	return i + 1
}
