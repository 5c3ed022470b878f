package asked

import (
	"strconv"
	"strings"
)

// form is how a number is bound to a path.
type form struct {
	// ':' "a:1", '#' "a#L1", '(' "a(1)", 'h' "a:(1,2)", 'w' "a, line 1", 'c' "a:line 1", 'e' {file,"a"},{line,1}
	kind byte
	end  int // where the path ends that stands before the number; of 'w' -1 if none can
}

// formAt tells in which form the number at line[k] is one of a line, if in any. Before floor nothing is read.
func formAt(line string, floor, k int) (form, bool) {
	if k == floor {
		return form{}, false
	}
	switch line[k-1] {
	case ':':
		return form{':', k - 1}, k-1 > floor
	case 'L', 'l':
		if k-2 > floor && (line[k-2] == '#' || line[k-2] == ':') {
			return form{line[k-2], k - 2}, true
		}
		if line[k-1] == 'L' && (k-1 == floor || line[k-2] == ' ') {
			return form{'w', before(line, floor, k-1)}, true
		}
	case '(':
		if k-2 > floor && line[k-2] == ':' {
			return form{'h', k - 2}, true
		}
		if k-2 > floor && (isLetter(line[k-2]) || isDigit(line[k-2])) {
			return form{'(', k - 1}, true
		}
	case ',':
		return form{'e', k - len("},{line,")}, strings.HasSuffix(line[floor:k], "},{line,")
	case ' ', '#':
		w := len(strings.TrimRight(line[floor:k], " #")) + floor
		if w < k-3 {
			return form{}, false
		}
		switch head := line[floor:w]; {
		case hasWord(head, "lines"):
			w -= len("lines")
		case hasWord(head, "line"):
			w -= len("line")
		default:
			return form{}, false
		}
		if w > floor && line[w-1] == ':' && w-1 > floor && line[w-2] != ' ' {
			return form{'c', w - 1}, true
		}
		return form{'w', before(line, floor, w)}, true
	}
	return form{}, false
}

// hasWord reports whether s ends in a word, whatever the case of its letters.
func hasWord(s, word string) bool {
	n := len(s) - len(word)
	return n >= 0 && strings.EqualFold(s[n:], word) &&
		(n == 0 || !isLetter(s[n-1]) && !isDigit(s[n-1]) && s[n-1] != '_')
}

// before is where a path may end that stands before the word "line" at line[w]: behind it a comma, a colon or a
// bracket, and a word may follow.
func before(line string, floor, w int) int {
	s := strings.TrimRight(line[floor:w], " ")
	for _, word := range [...]string{"on", "at", "near", "in", "around"} {
		if hasWord(s, word) {
			s = strings.TrimRight(s[:len(s)-len(word)], " ")
			break
		}
	}
	if s != "" && strings.IndexByte(",:([-", s[len(s)-1]) >= 0 {
		s = strings.TrimRight(s[:len(s)-1], " ")
	}
	if s == "" {
		return -1
	}
	return floor + len(s)
}

// read reads the place that the number line[k:end] belongs to, and where it ends. Without a path there is none.
func (f form) read(line string, floor, k, end int) (p Place, next int) {
	first, ok := number(line[k:end])
	if !ok {
		return p, end
	}
	last, next, ok := f.span(line, first, end)
	if !ok {
		return p, end
	}
	p = Place{First: first, Last: last}
	if f.kind == 'w' {
		if path, after := pathAfter(line, next); path != "" {
			p.Path, next = path, after
			return p, next
		}
		if f.end < 0 {
			return p, end
		}
	}
	p.Path, p.Folder = pathBefore(line, floor, f.end, line[next:], f.kind == 'c')
	return p, next
}

// number reads a line number.
func number(s string) (int, bool) {
	if len(s) > 7 {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && n > 0
}

// span reads what follows the first number: columns, and the last line of several. A number that goes on as another
// word is none.
func (f form) span(line string, first, at int) (last, next int, ok bool) {
	last, next = first, at
	num := func(at int) (n, end int) {
		for end = at; end < len(line) && end-at < 8 && isDigit(line[end]); end++ {
		}
		n, _ = number(line[at:end])
		return n, end
	}
	skip := func(at int, marks ...string) int { // behind the first of marks that stands there, or -1
		for _, m := range marks {
			if strings.HasPrefix(line[at:], m) {
				return at + len(m)
			}
		}
		return -1
	}
	to := func(at int, marks ...string) { // the last line, if one follows
		if k := skip(at, marks...); k >= 0 {
			n, end := num(k)
			if c := skip(end, "C"); f.kind == '#' && c > 0 {
				_, end = num(c)
			}
			if n >= first && ends(line, end) {
				last, next = n, end
			}
		}
	}
	switch f.kind {
	case '(', 'h':
		if k := skip(at, "-", "–"); k >= 0 {
			if n, end := num(k); n >= first {
				last, next = n, end
			}
		}
		for skip(next, ",") > 0 {
			_, end := num(next + 1)
			if end == next+1 {
				return last, next, false
			}
			next = end
		}
		if next = skip(next, ")"); next < 0 {
			return last, at, false
		}
		if k := skip(next, "-("); k >= 0 && f.kind == 'h' {
			if n, end := num(k); n >= first {
				last = n
				next = end + max(strings.IndexByte(line[end:min(len(line), end+12)], ')')+1, 0)
			}
		}
		return last, next, true
	case ':', 'c':
		col := skip(at, ":")
		if n, end := num(max(col, 0)); col > 0 && n > 0 && ends(line, end) {
			next = end
			if k := skip(next, "-"); k >= 0 { // columns, or line and column
				if n, end := num(k); n > 0 && ends(line, end) {
					next = end
					if c := skip(end, ":"); c > 0 && n >= first {
						if m, end := num(c); m > 0 {
							last, next = n, end
						}
					}
				}
			}
			return last, next, true
		}
		to(at, "-:", "-L", "-", "–L", "–")
	case '#':
		if c := skip(at, "C"); c > 0 {
			_, next = num(c)
		}
		to(next, "-L", "-", "–L", "–")
	case 'w':
		to(at, "-", "–", " - ", " – ", " to ", " through ", " and ", "-L")
	}
	return last, next, ends(line, next)
}

// ends reports whether a number may end at line[at]: neither a word nor a fraction goes on there.
func ends(line string, at int) bool {
	if at >= len(line) {
		return true
	}
	c := line[at]
	if c == '.' && at+1 < len(line) {
		return !isDigit(line[at+1])
	}
	return !isLetter(c) && !isDigit(c) && c != '_' && c != '%'
}
