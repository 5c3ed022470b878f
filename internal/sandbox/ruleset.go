package sandbox

import (
	"fmt"
	"strings"
)

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
	mute  bool   // the text of its rules is not told: a link may have made some other file of the user's one of rules
	rules []rule

	// Fast paths, where there are many rules: the last rule for a literal name, for a last extension; and the others.
	names, exts map[string]last
	rest        []int
}

// last holds the index of the last rule with a key, among those for anything and those for folders only; -1: none.
type last struct{ any, dir int }

const manyRules = 8

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

// detail names a rule for people: its text, its file and its line.
func (rs *ruleset) detail(r *rule) string {
	if _, secret := HasSecret(r.text); rs.mute || secret {
		return fmt.Sprintf("the rule at %s:%d", rs.file, r.line)
	}
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

// decide is the rule of the strongest rule set that says anything about full, and that set.
func (rs *ruleset) decide(full, name string, dir bool) (*rule, *ruleset) {
	for ; rs != nil; rs = rs.up {
		if r := rs.match(full, name, dir); r != nil {
			return r, rs
		}
	}
	return nil, nil
}

// decideOwn asks our own ignore files and the agents': ours decide first, then each agent's by itself.
func (rs *ruleset) decideOwn(full, name string, dir, agents bool) (lifted bool, detail string) {
	var decided uint32
	for ; rs != nil; rs = rs.up {
		if decided&(1<<rs.kind) != 0 {
			continue
		}
		r := rs.match(full, name, dir)
		if r == nil {
			continue
		}
		decided |= 1 << rs.kind
		switch {
		case r.negate && rs.kind == kindOwn:
			return true, ""
		case !r.negate && detail == "":
			detail = rs.detail(r)
		}
		if !agents {
			break
		}
	}
	// An agent's rule may stand deeper, and so come first, than the "!" of ours that overrides it; that was seen above.
	return false, detail
}
