package chunker

// separator is the offset after the separator of qualified names at p; p where there is none.
func (s *scan) separator(p int) int {
	switch c := s.code[p]; {
	case c == '.' || c == '\\':
		return p + 1
	case c == ':' && s.code[p+1] == ':':
		return p + 2
	}
	return p
}

// word is the offset after the identifier at p.
func (s *scan) word(p int) int {
	first := p
	for isWord(s.code[p]) || s.code[p] == '$' && s.lang.dollars {
		p++
	}
	s.steps += p - first
	return p
}

// skip is the offset of the first byte from p on that is no blank.
func (s *scan) skip(p int) int {
	first := p
	for isSpace(s.code[p]) {
		p++
	}
	s.steps += p - first
	return p
}

// skipAll is the like over line ends.
func (s *scan) skipAll(p int) int {
	first := p
	for p < len(s.code) && (isSpace(s.code[p]) || s.code[p] == '\n') {
		p++
	}
	s.steps += p - first
	return p
}

// angles is the offset after the "<…>" at p; p where it does not close nearby.
func (s *scan) angles(p int) int {
	depth := 0
	for q := p; q < min(p+600, len(s.src)); q++ {
		s.steps++
		switch s.code[q] {
		case '<':
			depth++
		case '>':
			if q > 0 && (s.code[q-1] == '-' || s.code[q-1] == '=') {
				continue
			}
			if depth--; depth == 0 {
				return q + 1
			}
		case ';', '{', '}':
			return p
		}
	}
	return p
}
