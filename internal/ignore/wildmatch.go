package ignore

// results of a match: abort codes say that a longer text for the same stars cannot help either.
const (
	wmMatch = iota
	wmNoMatch
	wmAbortAll
	wmAbortToStarStar
)

// maxSteps bounds the work of one match, in bytes that are looked at: a pattern made of many "**" would else take
// exponential time. Beyond it nothing matches.
const maxSteps = 1 << 18

// Match reports whether pattern matches the whole of text by git's rules: "?", "*", "[…]" and "\", and, with
// pathname, "**" and a "*" that stops at a slash. With fold, ASCII letters match in either case.
func Match(pattern, text string, pathname, fold bool) bool {
	e := Effort{left: maxEffort}
	return e.wildmatch(pattern, text, pathname, fold)
}

// wildmatch is Match, with its steps taken from e. A match that is given up spends all of e.
func (e *Effort) wildmatch(pattern, text string, pathname, fold bool) bool {
	m := matcher{p: pattern, t: text, pathname: pathname, fold: fold, steps: maxSteps}
	matched := m.match(0, 0) == wmMatch
	if m.steps < 0 {
		e.left = 0
		return false
	}
	e.spend(maxSteps - m.steps)
	return matched
}

type matcher struct {
	p, t           string
	pathname, fold bool
	steps          int
}

// pat is the byte of the pattern at i, 0 behind its end.
func (m *matcher) pat(i int) byte {
	if i < len(m.p) {
		return m.p[i]
	}
	return 0
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// match matches the pattern from p on with the text from t on.
func (m *matcher) match(p, t int) int {
	for ; p < len(m.p); p, t = p+1, t+1 {
		if m.steps--; m.steps < 0 {
			return wmAbortAll
		}
		c := m.p[p]
		if t >= len(m.t) && c != '*' {
			return wmAbortAll
		}
		var ch byte
		if t < len(m.t) {
			ch = m.t[t]
		}
		if m.fold {
			ch, c = lower(ch), lower(c)
		}
		switch c {
		case '?':
			if m.pathname && ch == '/' {
				return wmNoMatch
			}
		case '*':
			next, text, done, result := m.star(p, t)
			if done {
				return result
			}
			p, t = next, text
		case '[':
			next, ok := m.class(p, ch)
			if next < 0 {
				return wmAbortAll
			}
			if !ok || m.pathname && ch == '/' {
				return wmNoMatch
			}
			p = next
		case '\\':
			p++
			c = m.pat(p)
			fallthrough
		default:
			if ch != c {
				return wmNoMatch
			}
		}
	}
	if t < len(m.t) {
		return wmNoMatch
	}
	return wmMatch
}

// star handles the run of stars at p. Unless done, matching goes on behind the slash at next in the pattern and the one
// at text.
func (m *matcher) star(p, t int) (next, text int, done bool, result int) {
	start := p
	p++
	slashes := !m.pathname
	if m.pat(p) == '*' {
		for m.pat(p) == '*' {
			m.steps--
			p++
		}
		behind := m.pat(p)
		if m.pathname && (start == 0 || m.p[start-1] == '/') &&
			(behind == 0 || behind == '/' || behind == '\\' && m.pat(p+1) == '/') {
			if behind == '/' && m.match(p+1, t) == wmMatch { // "**/" matches no folder at all, too
				return 0, 0, true, wmMatch
			}
			slashes = true
		}
	}
	if p >= len(m.p) { // the rest, whatever it is; without "**" up to a slash
		if !slashes && m.slash(t) >= 0 {
			return 0, 0, true, wmAbortToStarStar
		}
		return 0, 0, true, wmMatch
	}
	if !slashes && m.p[p] == '/' { // "*/": exactly the rest of this folder's name
		i := m.slash(t)
		if i < 0 {
			return 0, 0, true, wmAbortAll
		}
		return p, i, false, 0
	}
	for ; t < len(m.t); t++ {
		if m.steps--; m.steps < 0 {
			return 0, 0, true, wmAbortAll
		}
		if !special(m.p[p]) { // go to where the literal behind the star can start
			want := m.p[p]
			for t < len(m.t) && (slashes || m.t[t] != '/') && !m.same(m.t[t], want) {
				t++
				m.steps--
			}
			if t >= len(m.t) || !m.same(m.t[t], want) {
				if slashes {
					return 0, 0, true, wmAbortAll
				}
				return 0, 0, true, wmAbortToStarStar
			}
		}
		if r := m.match(p, t); r != wmNoMatch {
			if !slashes || r != wmAbortToStarStar {
				return 0, 0, true, r
			}
		} else if !slashes && m.t[t] == '/' {
			return 0, 0, true, wmAbortToStarStar
		}
	}
	return 0, 0, true, wmAbortAll
}

func (m *matcher) same(a, b byte) bool { return a == b || m.fold && lower(a) == lower(b) }

// slash is the index of the first slash of the text from t on, -1 without one.
func (m *matcher) slash(t int) int {
	for ; t < len(m.t); t++ {
		m.steps--
		if m.t[t] == '/' {
			return t
		}
	}
	return -1
}
