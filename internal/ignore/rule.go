package ignore

import (
	"bytes"
	"strings"
)

// Rule is one line of an ignore file.
type Rule struct {
	text    string // as written
	pat     string // without "!" and the last "/"
	line    int
	literal int  // bytes of pat before its first special one
	Negate  bool // "!": what matches is let in again
	dirOnly bool // matches folders only
	base    bool // holds no slash: matched against the name alone
	suffix  bool // "*" and a literal
}

// parseRules reads the lines of an ignore file as git does.
func parseRules(data []byte) []Rule {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	rules := make([]Rule, 0, ruleLines(data))
	for line := 1; len(data) > 0; line++ {
		text, rest, _ := bytes.Cut(data, []byte{'\n'})
		data = rest
		if len(text) == 0 || text[0] == '#' {
			continue
		}
		if text[len(text)-1] == '\r' {
			text = text[:len(text)-1]
		}
		if i := bytes.IndexByte(text, 0); i >= 0 {
			text = text[:i]
		}
		if r, ok := parseRule(trimSpaces(string(text))); ok {
			r.line = line
			rules = append(rules, r)
		}
	}
	return rules
}

// ruleLines is at least the number of rules in data: its lines that are not empty.
func ruleLines(data []byte) int {
	lines, blank := 0, true
	for _, c := range data {
		if blank && c != '\n' {
			lines++
		}
		blank = c == '\n'
	}
	return lines
}

// trimSpaces drops the spaces at the end that no backslash protects.
func trimSpaces(s string) string {
	end := -1 // where the spaces at the end begin
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ':
			if end < 0 {
				end = i
			}
		case '\\':
			if i++; i >= len(s) {
				return s
			}
			end = -1
		default:
			end = -1
		}
	}
	if end < 0 {
		return s
	}
	return s[:end]
}

// parseRule reads one line. ok is false where it can match nothing.
func parseRule(text string) (Rule, bool) {
	r := Rule{text: text, pat: text}
	r.pat, r.Negate = strings.CutPrefix(r.pat, "!")
	whole := r.pat
	r.pat, r.dirOnly = strings.CutSuffix(r.pat, "/")
	if r.pat == "" {
		return r, false
	}
	r.base = strings.IndexByte(r.pat, '/') < 0
	r.literal = min(literalLen(whole), len(r.pat))
	r.suffix = whole[0] == '*' && literalLen(whole[1:]) == len(whole)-1
	if !r.base && r.pat[0] == '/' {
		r.pat = r.pat[1:]
		r.literal = max(r.literal-1, 0)
	}
	return r, true
}

// literalLen is the number of bytes of s before its first special one.
func literalLen(s string) int {
	if i := strings.IndexAny(s, `*?[\`); i >= 0 {
		return i
	}
	return len(s)
}

// matches reports whether r matches path, whose last element is name.
func (r *Rule) matches(path, name string, dir, fold bool, e *Effort) bool {
	e.spend(1)
	if r.dirOnly && !dir {
		return false
	}
	if r.base {
		switch {
		case r.literal == len(r.pat):
			return equal(r.pat, name, fold)
		case r.suffix:
			n := len(r.pat) - 1
			return n <= len(name) && equal(r.pat[1:], name[len(name)-n:], fold)
		}
		return e.wildmatch(r.pat, name, false, fold)
	}
	if r.literal > len(path) || !equal(r.pat[:r.literal], path[:r.literal], fold) {
		return false
	}
	if r.literal == len(r.pat) && r.literal == len(path) {
		return true
	}
	// Only the rest is matched, as git does: "a**/b" therefore means what "**/b" means behind "a".
	e.spend(r.literal / 8)
	return e.wildmatch(r.pat[r.literal:], path[r.literal:], true, fold)
}

func equal(a, b string, fold bool) bool {
	if a == b {
		return true
	}
	if !fold || len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}
