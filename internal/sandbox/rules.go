package sandbox

import (
	"bytes"
	"fmt"
	"strings"
)

// rule is one line of an ignore file.
type rule struct {
	text    string // as written
	pat     string // without "!" and the last "/"
	line    int
	literal int  // bytes of pat before its first special one
	negate  bool // "!": what matches is let in again
	dirOnly bool // matches folders only
	base    bool // holds no slash: matched against the name alone
	suffix  bool // "*" and a literal
}

// kind says whose ignore file a rule set comes from. Agents' files have one kind each, from kindAgent on.
type kind uint8

const (
	kindGit kind = iota
	kindOwn      // .contextdignore
	kindAgent
)

// ruleset is an ignore file in force, linked to the weaker one behind it.
type ruleset struct {
	up    *ruleset
	kind  kind
	strip int    // bytes of a full path before the part that the rules speak of
	file  string // as shown in Detail
	fold  bool   // letters match in either case
	rules []rule

	// Fast paths, where there are many rules: the last rule for a literal name, for a last extension; and the others.
	names, exts map[string]last
	rest        []int
}

// last holds the index of the last rule with a key, among those for anything and those for folders only; -1: none.
type last struct{ any, dir int }

const manyRules = 8

// parseRules reads the lines of an ignore file as git does.
func parseRules(data []byte) []rule {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !bytes.Contains(data, []byte{'\n'}) && len(data) == 0 {
		return nil
	}
	rules := make([]rule, 0, bytes.Count(data, []byte{'\n'})+1)
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
func parseRule(text string) (rule, bool) {
	r := rule{text: text, pat: text}
	r.pat, r.negate = strings.CutPrefix(r.pat, "!")
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

// newRuleset compiles the rules of a file; nil without any.
func newRuleset(data []byte, k kind, file string, strip int, fold bool, up *ruleset) *ruleset {
	rs := &ruleset{up: up, kind: k, strip: strip, file: file, fold: fold, rules: parseRules(data)}
	if len(rs.rules) == 0 {
		return up
	}
	if fold || len(rs.rules) < manyRules {
		return rs
	}
	rs.names, rs.exts = map[string]last{}, map[string]last{}
	for i, r := range rs.rules {
		switch {
		case r.base && r.literal == len(r.pat):
			note(rs.names, r.pat, i, r.dirOnly)
		case r.base && r.suffix && len(r.pat) > 2 && r.pat[1] == '.' && strings.IndexByte(r.pat[2:], '.') < 0:
			note(rs.exts, r.pat[1:], i, r.dirOnly)
		default:
			rs.rest = append(rs.rest, i)
		}
	}
	return rs
}

func note(m map[string]last, key string, i int, dirOnly bool) {
	l, ok := m[key]
	if !ok {
		l = last{-1, -1}
	}
	if dirOnly {
		l.dir = i
	} else {
		l.any = i
	}
	m[key] = l
}

// match is the last rule that matches, nil if none does. full is a whole path, name its last element.
func (rs *ruleset) match(full, name string, dir bool) *rule {
	path := full[rs.strip:]
	best := -1
	if rs.names == nil {
		for i := len(rs.rules) - 1; i >= 0; i-- {
			if rs.rules[i].matches(path, name, dir, rs.fold) {
				return &rs.rules[i]
			}
		}
		return nil
	}
	best = rs.lookup(rs.names, name, dir, best)
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		best = rs.lookup(rs.exts, name[dot:], dir, best)
	}
	for k := len(rs.rest) - 1; k >= 0 && rs.rest[k] > best; k-- {
		if rs.rules[rs.rest[k]].matches(path, name, dir, false) {
			best = rs.rest[k]
		}
	}
	if best < 0 {
		return nil
	}
	return &rs.rules[best]
}

func (rs *ruleset) lookup(m map[string]last, key string, dir bool, best int) int {
	l, ok := m[key]
	if !ok {
		return best
	}
	if dir {
		best = max(best, l.dir)
	}
	return max(best, l.any)
}

// matches reports whether r matches path, whose last element is name.
func (r *rule) matches(path, name string, dir, fold bool) bool {
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
		return wildmatch(r.pat, name, false, fold)
	}
	if r.literal > len(path) || !equal(r.pat[:r.literal], path[:r.literal], fold) {
		return false
	}
	if r.literal == len(r.pat) && r.literal == len(path) {
		return true
	}
	// Only the rest is matched, as git does: "a**/b" therefore means what "**/b" means behind "a".
	return wildmatch(r.pat[r.literal:], path[r.literal:], true, fold)
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

// detail names a rule for people: its text, its file and its line.
func (rs *ruleset) detail(r *rule) string {
	return fmt.Sprintf("rule %q at %s:%d", r.text, rs.file, r.line)
}

// reachesBelow reports whether an anchored "!" rule may match something below the folder full, which ends in "/".
func (rs *ruleset) reachesBelow(full string) bool {
	if len(full) <= rs.strip {
		return true
	}
	dir := full[rs.strip:]
	for i := range rs.rules {
		if r := &rs.rules[i]; r.negate && !r.base && r.literal > 0 {
			head := r.pat[:r.literal]
			if strings.HasPrefix(r.pat, dir) && r.literal >= len(dir) || r.literal < len(r.pat) && strings.HasPrefix(dir, head) {
				return true
			}
		}
	}
	return false
}
