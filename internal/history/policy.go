package history

import (
	"fmt"
	"strings"
)

// Policy says whether tasks of a project, or of one type in it, are given context and show theirs, where they do not
// say so themselves. The key is "PROJECT", "PROJECT/TYPE", "*/TYPE" or "*".
type Policy map[string]bool

// ParsePolicy reads rules such as "web=on,web/docs=off,*/chore=off".
func ParsePolicy(text string) (Policy, error) {
	p := Policy{}
	for rule := range strings.SplitSeq(text, ",") {
		who, what, _ := strings.Cut(strings.TrimSpace(rule), "=")
		project, kind, typed := strings.Cut(who, "/")
		if what != "on" && what != "off" || project == "" || typed && kind == "" {
			return nil, fmt.Errorf(
				"context policy: rule %.80q: want PROJECT=on|off or PROJECT/TYPE=on|off, \"*\" for all projects", rule)
		}
		if _, twice := p[who]; twice {
			return nil, fmt.Errorf("context policy: %.80q has two rules", who)
		}
		p[who] = what == "on"
	}
	return p, nil
}

// For is what the most specific rule says: that of the type in the project, of the type anywhere, of the project, of
// all. said is false where there is none.
func (p Policy) For(project, kind string) (on, said bool) {
	keys := []string{project, "*"}
	if kind != "" {
		keys = []string{project + "/" + kind, "*/" + kind, project, "*"}
	}
	for _, key := range keys {
		if on, said = p[key]; said {
			return on, true
		}
	}
	return false, false
}
