package intent

import "strings"

// maxLine is the greatest line number; more is no line.
const maxLine = 9_999_999

// number reads a number from 1 to maxLine at the beginning of s and its length, 0 if there is none.
func number(s string) (value, n int) {
	for n < len(s) && s[n] >= '0' && s[n] <= '9' && n < 8 {
		value = value*10 + int(s[n]-'0')
		n++
	}
	if value == 0 || value > maxLine || n < len(s) && s[n] >= '0' && s[n] <= '9' {
		return 0, 0
	}
	return value, n
}

// suffix reads the lines at the end of s and gives the length of what stands before them.
func (r *Ref) suffix(s string) int {
	if k := strings.LastIndex(s, "#L"); k > 0 && r.span(s[k+2:], "L") {
		return k
	}
	s = strings.TrimSuffix(s, ":in") // a trace of Ruby
	if k := strings.LastIndexByte(s, '('); k > 0 && s[len(s)-1] == ')' {
		inner := s[k+1 : len(s)-1]
		if first, n := number(inner); n > 0 {
			if n == len(inner) {
				r.First, r.Last = first, first
				return k
			}
			if col, m := number(inner[n+1:]); inner[n] == ',' && n+1+m == len(inner) {
				r.First, r.Last, r.col = first, first, col
				return k
			}
		}
	}
	k := strings.LastIndexByte(s, ':')
	if k <= 0 {
		return len(s)
	}
	if before := strings.LastIndexByte(s[:k], ':'); before > 1 { // :L:C, :L-:L
		if first, n := number(s[before+1:]); n > 0 {
			last, m := number(s[k+1:])
			switch {
			case m == 0 || k+1+m != len(s):
			case before+1+n == k:
				r.First, r.Last, r.col = first, first, last
				return before
			case s[before+1+n:k] == "-" && last >= first:
				r.First, r.Last = first, last
				return before
			}
		}
	}
	if r.span(strings.TrimPrefix(s[k+1:], "L"), "L") {
		return k
	}
	return len(s)
}

// span reads "L", "L-L" or, with a letter before the second, "L-xL", and nothing else.
func (r *Ref) span(s, letter string) bool {
	first, n := number(s)
	if n == 0 {
		return false
	}
	if n == len(s) {
		r.First, r.Last = first, first
		return true
	}
	rest, ok := strings.CutPrefix(s[n:], "-")
	if !ok {
		if rest, ok = strings.CutPrefix(s[n:], "–"); !ok {
			return false
		}
	}
	last, m := number(strings.TrimPrefix(rest, letter))
	if m == 0 || m != len(strings.TrimPrefix(rest, letter)) || last < first {
		return false
	}
	r.First, r.Last = first, last
	return true
}

// follow reads lines that stand behind a path: `"a.go", line 12`, "a.go lines 3-9", "`a.go`:12".
func (r *Ref) follow(text string) {
	s := text[r.end:]
	if colon, ok := strings.CutPrefix(s, ":"); ok {
		if first, n := number(colon); n > 0 && r.ends(colon[n:]) {
			r.First, r.Last, r.end = first, first, r.end+1+n
		}
		return
	}
	rest := strings.TrimLeft(strings.TrimPrefix(s, ","), " ")
	if len(rest) == len(s) {
		return
	}
	for _, word := range [...]string{"lines ", "line ", "on line ", "at line "} {
		after, ok := strings.CutPrefix(rest, word)
		if !ok {
			continue
		}
		first, n := number(after)
		if n == 0 {
			return
		}
		last := first
		if m := n; m < len(after) && after[m] == '-' {
			if value, k := number(after[m+1:]); k > 0 && value >= first {
				last, n = value, m+1+k
			}
		}
		if r.ends(after[n:]) {
			r.First, r.Last, r.end = first, last, len(text)-len(after)+n
		}
		return
	}
}

// ends reports whether a number ends before s.
func (r *Ref) ends(s string) bool {
	return s == "" || !(s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z' || s[0] == '_' ||
		s[0] >= '0' && s[0] <= '9')
}
