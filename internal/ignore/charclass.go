package ignore

// class matches ch with the set that starts at p. next is the index of its closing bracket, -1 where it is malformed.
func (m *matcher) class(p int, ch byte) (next int, ok bool) {
	p++
	c := m.pat(p)
	negated := c == '!' || c == '^'
	if negated {
		p++
		c = m.pat(p)
	}
	var prev byte
	matched := false
	for {
		m.steps--
		switch {
		case c == 0 || m.steps < 0:
			return -1, false
		case c == '\\':
			p++
			if c = m.pat(p); c == 0 {
				return -1, false
			}
			matched = matched || ch == c
		case c == '-' && prev != 0 && m.pat(p+1) != 0 && m.pat(p+1) != ']':
			p++
			if c = m.pat(p); c == '\\' {
				p++
				if c = m.pat(p); c == 0 {
					return -1, false
				}
			}
			if prev <= ch && ch <= c {
				matched = true
			} else if m.fold && 'a' <= ch && ch <= 'z' {
				up := ch - 'a' + 'A'
				matched = matched || prev <= up && up <= c
			}
			c = 0
		case c == '[' && m.pat(p+1) == ':':
			from := p + 2
			end := from
			for m.pat(end) != 0 && m.pat(end) != ']' {
				m.steps--
				end++
			}
			if m.pat(end) == 0 {
				return -1, false
			}
			if end == from || m.p[end-1] != ':' { // an ordinary bracket after all
				matched = matched || ch == '['
				break
			}
			in, known := inClass(m.p[from:end-1], ch, m.fold)
			if !known {
				return -1, false
			}
			matched = matched || in
			p, c = end, 0
		default:
			matched = matched || ch == c
		}
		prev = c
		p++
		if c = m.pat(p); c == ']' {
			return p, matched != negated
		}
	}
}

// inClass reports whether c is in the named class, ASCII only as in git.
func inClass(name string, c byte, fold bool) (in, known bool) {
	isLower, isUpper, digit := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9'
	graph := c > ' ' && c < 0x7f
	switch name {
	case "alnum":
		return isLower || isUpper || digit, true
	case "alpha":
		return isLower || isUpper, true
	case "blank":
		return c == ' ' || c == '\t', true
	case "cntrl":
		return c < ' ' || c == 0x7f, true
	case "digit":
		return digit, true
	case "graph":
		return graph, true
	case "lower":
		return isLower, true
	case "print":
		return graph || c == ' ', true
	case "punct":
		return graph && !isLower && !isUpper && !digit, true
	case "space":
		return c == ' ' || '\t' <= c && c <= '\r', true
	case "upper":
		return isUpper || fold && isLower, true
	case "xdigit":
		return digit || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F', true
	}
	return false, false
}

// special reports whether c has a meaning of its own in a pattern.
func special(c byte) bool { return c == '*' || c == '?' || c == '[' || c == '\\' }
