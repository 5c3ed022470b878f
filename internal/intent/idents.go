package intent

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// isIdent reports whether a word is an identifier of code: an underscore inside, or letters of both cases mixed as in
// fooBar and HTTPServer.
func isIdent(s string) bool {
	if i := strings.IndexByte(s, '_'); i >= 0 && strings.Trim(s, "_") != "" {
		return true
	}
	lower, upper, letters := false, 0, 0
	for _, c := range s {
		letters++
		switch {
		case unicode.IsUpper(c):
			if lower {
				return true
			}
			upper++
		case unicode.IsLower(c):
			lower = true
			if upper > 1 && letters > upper && c != 's' { // "APIs" is a word
				return true
			}
		}
	}
	return false
}

// abbreviation reports whether all parts of a dotted word are single letters, as in "e.g".
func abbreviation(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		if utf8.RuneCountInString(part) != 1 {
			return false
		}
	}
	return true
}

// isTicket reports whether raw and what follows are the name of a ticket, as ABC-12.
func isTicket(raw, rest string) bool {
	return len(raw) > 1 && len(rest) > 1 && rest[0] == '-' && rest[1] >= '0' && rest[1] <= '9' &&
		strings.ToUpper(raw) == raw &&
		strings.Trim(raw, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// call is the length of the arguments of a call at the beginning of s, 0 if there are none.
func call(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			if i == 0 {
				return 0
			}
			return i + 1
		}
	}
	return 0
}

// idents notes the identifiers of a piece of code: those of several parts and, if it is nothing but one, that one.
func (r *reader) idents(code string) {
	whole := strings.TrimSuffix(strings.TrimSpace(code), "()")
	for i := 0; i < len(code) && len(r.entities) < MaxEntities; {
		c, size := utf8.DecodeRuneInString(code[i:])
		if c == '_' || unicode.IsLetter(c) {
			at := i
			for i < len(code) {
				c, size := utf8.DecodeRuneInString(code[i:])
				if joint := jointAt(code[i:]); joint > 0 {
					size = joint
				} else if c == utf8.RuneError || c == '\'' || c == '’' || !isWord(c) {
					break
				}
				i += size
			}
			if id := code[at:i]; len(id) <= 64 && (id == whole || isIdent(id) || strings.ContainsAny(id, ".:")) &&
				!r.isPath(id) {
				r.entity(Identifier, id)
			}
			continue
		}
		i += size
	}
}

// isPath reports whether a name is one of the text's paths, or its end.
func (r *reader) isPath(name string) bool {
	return slices.ContainsFunc(r.paths, func(ref Ref) bool { return strings.HasSuffix(ref.Path, name) })
}
