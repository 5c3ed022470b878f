package sandbox

import (
	"crypto/sha256"
	"strings"
)

// ruletable is the compiled content of an ignore file. Files with the same content share one.
type ruletable struct {
	rules []rule
	lifts []int // the anchored "!" rules: they may match something below a folder that is left out

	// Fast paths, where there are many rules: the last rule for a literal name, for a last extension; and the others.
	names, exts map[string]last
	rest        []int
}

// last holds the index of the last rule with a key, among those for anything and those for folders only; -1: none.
type last struct{ any, dir int }

const manyRules = 8

// newRuletable compiles the rules of a file. fold: its letters match in either case.
func newRuletable(data []byte, fold bool) *ruletable {
	t := &ruletable{rules: parseRules(data)}
	for i := range t.rules {
		if r := &t.rules[i]; r.negate && !r.base && r.literal > 0 {
			t.lifts = append(t.lifts, i)
		}
	}
	if fold || len(t.rules) < manyRules {
		return t
	}
	t.names, t.exts = map[string]last{}, map[string]last{}
	for i, r := range t.rules {
		switch {
		case r.base && r.literal == len(r.pat):
			note(t.names, r.pat, i, r.dirOnly)
		case r.base && r.suffix && len(r.pat) > 2 && r.pat[1] == '.' && strings.IndexByte(r.pat[2:], '.') < 0:
			note(t.exts, r.pat[1:], i, r.dirOnly)
		default:
			t.rest = append(t.rest, i)
		}
	}
	return t
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

// tableKey tells apart what makes different tables.
type tableKey struct {
	sum  [sha256.Size]byte
	fold bool
}

// table is the compiled content of an ignore file, made once a walk for each content. ok is false where the walk has no
// memory left for it.
func (s *scan) table(data []byte, fold bool) (t *ruletable, ok bool) {
	key := tableKey{sha256.Sum256(data), fold}
	s.tablesMu.Lock()
	defer s.tablesMu.Unlock()
	if t, ok = s.tables[key]; ok {
		return t, true
	}
	if !s.mem.hold(tableBytes(data)) {
		return nil, false
	}
	t = newRuletable(data, fold)
	if s.tables == nil {
		s.tables = map[tableKey]*ruletable{}
	}
	s.tables[key] = t
	return t, true
}

// ruleset puts an ignore file in force before up. Where its rules cannot be held starved is set: what they would leave out is
// not known then.
func (s *scan) ruleset(starved *bool, data []byte, k kind, file string, strip int, fold bool, up *ruleset) *ruleset {
	t, ok := s.table(data, fold)
	if !ok {
		*starved = true
		return up
	}
	return newRuleset(t, k, file, strip, fold, up)
}
