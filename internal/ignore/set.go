package ignore

import (
	"fmt"
	"strings"

	"github.com/contextd/contextd/internal/secret"
)

// Kind says whose ignore file a rule set comes from. Agents' files have one kind each, from Agent on.
type Kind uint8

const (
	Git Kind = iota
	Own      // .contextdignore
	Agent
)

// Set is an ignore file in force, linked to the weaker one behind it.
type Set struct {
	up    *Set
	kind  Kind
	strip int    // bytes of a full path before the part that the rules speak of
	file  string // as shown in Detail
	fold  bool   // letters match in either case
	Mute  bool   // the text of its rules is not told: a link may have made some other file of the user's one of rules
	*Table
}

// New puts a table in force before up; up itself for one without rules.
func New(t *Table, k Kind, file string, strip int, fold bool, up *Set) *Set {
	if len(t.rules) == 0 {
		return up
	}
	return &Set{up: up, kind: k, strip: strip, file: file, fold: fold, Table: t}
}

// match is the last rule that matches, nil if none does or the effort is spent. full is a whole path, name its last
// element.
func (rs *Set) match(full, name string, dir bool, e *Effort) *Rule {
	path := full[rs.strip:]
	best := -1
	if rs.names == nil {
		for i := len(rs.rules) - 1; i >= 0 && !e.Spent(); i-- {
			if rs.rules[i].matches(path, name, dir, rs.fold, e) {
				return &rs.rules[i]
			}
		}
		return nil
	}
	best = rs.lookup(rs.names, name, dir, best)
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		best = rs.lookup(rs.exts, name[dot:], dir, best)
	}
	for k := len(rs.rest) - 1; k >= 0 && rs.rest[k] > best && !e.Spent(); k-- {
		if rs.rules[rs.rest[k]].matches(path, name, dir, false, e) {
			best = rs.rest[k]
		}
	}
	if best < 0 {
		return nil
	}
	return &rs.rules[best]
}

func (rs *Set) lookup(m map[string]last, key string, dir bool, best int) int {
	l, ok := m[key]
	if !ok {
		return best
	}
	if dir {
		best = max(best, l.dir)
	}
	return max(best, l.any)
}

// Detail names a rule for people: its text, its file and its line.
func (rs *Set) Detail(r *Rule) string {
	if _, found := secret.Find(r.text); rs.Mute || found {
		return fmt.Sprintf("the rule at %s:%d", rs.file, r.line)
	}
	return fmt.Sprintf("rule %q at %s:%d", r.text, rs.file, r.line)
}

// reachesBelow reports whether an anchored "!" rule may match something below the folder full, which ends in "/".
func (rs *Set) reachesBelow(full string) bool {
	if len(full) <= rs.strip {
		return true
	}
	dir := full[rs.strip:]
	for _, i := range rs.lifts {
		r := &rs.rules[i]
		head := r.pat[:r.literal]
		if strings.HasPrefix(r.pat, dir) && r.literal >= len(dir) || r.literal < len(r.pat) &&
			strings.HasPrefix(dir, head) {
			return true
		}
	}
	return false
}

// MayLift reports whether an anchored "!" rule of ours in a folder above full, which ends in "/", may match something
// in it.
func (rs *Set) MayLift(full string) bool {
	left := maxEffort
	for ; rs != nil && left > 0; rs = rs.up {
		left -= 1 + len(rs.lifts)
		if rs.kind == Own && rs.strip < len(full) && rs.reachesBelow(full) {
			return true
		}
	}
	return false
}

// Decide is the rule of the strongest rule set that says anything about full, and that set.
func (rs *Set) Decide(full, name string, dir bool, e *Effort) (*Rule, *Set) {
	for ; rs != nil && !e.Spent(); rs = rs.up {
		if r := rs.match(full, name, dir, e); r != nil {
			return r, rs
		}
	}
	return nil, nil
}

// DecideOwn asks our own ignore files and the agents': ours decide first, then each agent's by itself.
func (rs *Set) DecideOwn(full, name string, dir, agents bool, e *Effort) (lifted bool, detail string) {
	var decided uint32
	for ; rs != nil && !e.Spent(); rs = rs.up {
		e.spend(1)
		if decided&(1<<rs.kind) != 0 {
			continue
		}
		r := rs.match(full, name, dir, e)
		if r == nil {
			continue
		}
		decided |= 1 << rs.kind
		switch {
		case r.Negate && rs.kind == Own:
			return true, ""
		case !r.Negate && detail == "":
			detail = rs.Detail(r)
		}
		if !agents {
			break
		}
	}
	// An agent's rule may stand deeper, and so come first, than the "!" of ours that overrides it; that was seen above.
	return false, detail
}
