package ignore

import "strings"

// Table is the compiled content of an ignore file. Files with the same content share one.
type Table struct {
	rules []Rule
	lifts []int // the anchored "!" rules: they may match something below a folder that is left out

	// Fast paths, where there are many rules: the last rule for a literal name, for a last extension; and the others.
	names, exts map[string]last
	rest        []int
}

// last holds the index of the last rule with a key, among those for anything and those for folders only; -1: none.
type last struct{ any, dir int }

const manyRules = 8

// Compile compiles the rules of a file. fold: its letters match in either case.
func Compile(data []byte, fold bool) *Table {
	t := &Table{rules: parseRules(data)}
	for i := range t.rules {
		if r := &t.rules[i]; r.Negate && !r.base && r.literal > 0 {
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

// ruleBytes is what a rule takes beside its text, with its places in the tables of fast paths.
const ruleBytes = 176

// Bytes is at least what the rules of an ignore file take in memory.
func Bytes(data []byte) int {
	return 2*len(data) + ruleLines(data)*ruleBytes
}
