package receipt

import (
	"fmt"
	"slices"
	"strings"
)

// Cause says why something is in one context and not, or not so, in another.
type Cause string

// The causes, in the order in which they are tried.
const (
	CauseCode    Cause = "code"    // the text under the same id is another
	CauseMemory  Cause = "memory"  // something was remembered, forgotten or re-tiered
	CauseHistory Cause = "history" // tasks were completed, blocked or unblocked
	CauseTask    Cause = "task"    // another task or question
	CausePolicy  Cause = "policy"  // another profile, mode, weights or thresholds
	CauseBudget  Cause = "budget"  // more or less room
	CauseDedup   Cause = "dedup"   // the conversation says it already, or no longer does
	CauseRanking Cause = "ranking" // other scores
	CauseUsage   Cause = "usage"   // other boosts: what was used before
	CauseFault   Cause = "fault"   // a source answered in one of the two only
)

// Changes is what differs between two receipts, from the first to the second.
type Changes struct {
	From string `json:"from"` // id
	To   string `json:"to"`   // id
	Same bool   `json:"same"` // nothing that an agent sees changed
	// of settings and pieces that differ; another generation of the index alone is none
	Causes   []Cause         `json:"causes"`
	Settings []SettingChange `json:"settings"`
	Items    []ItemChange    `json:"items"`    // in the order of the second receipt, then what is only in the first
	Sections []SectionChange `json:"sections"` // the same
	Tokens   int             `json:"tokens"`   // by how many more the second has
	Prefix   bool            `json:"prefix_changed"`
}

// SettingChange is a value of the whole context that differs.
type SettingChange struct {
	Name  string `json:"name"`
	From  string `json:"from"`
	To    string `json:"to"`
	Cause Cause  `json:"cause"`
}

// ItemChange is a piece that was decided on otherwise, or whose text or place differs.
type ItemChange struct {
	ID     string   `json:"id"`
	Source string   `json:"source"`
	From   Decision `json:"from"` // "" where it was not even considered
	To     Decision `json:"to"`
	Cause  Cause    `json:"cause"`
	Why    string   `json:"why"`
}

// SectionChange is a section that differs.
type SectionChange struct {
	Name string `json:"name"`
	From int    `json:"from_tokens"` // 0 where it was not there
	To   int    `json:"to_tokens"`
}

// Diff tells what changed from receipt a to receipt b, and why.
func Diff(a, b *Receipt) *Changes {
	c := &Changes{From: a.ID, To: b.ID, Causes: []Cause{}, Settings: settings(a, b), Items: []ItemChange{},
		Sections: []SectionChange{}, Tokens: b.Tokens - a.Tokens, Prefix: a.PrefixHash != b.PrefixHash}
	d := pieceDiffer{old: byID(a), places: places(a), before: rejectedFiles(a), after: rejectedFiles(b),
		remembered: !slices.Equal(memories(a), memories(b))}
	d.has = func(cause Cause) bool {
		return slices.ContainsFunc(c.Settings, func(s SettingChange) bool { return s.Cause == cause })
	}
	seen := map[string]bool{}
	place := places(b)
	for i := range b.Items {
		x := &b.Items[i]
		seen[x.ID] = true
		if change, differs := d.item(d.old[x.ID], x, place); differs {
			c.Items = append(c.Items, change)
		}
	}
	for i := range a.Items {
		if x := &a.Items[i]; !seen[x.ID] {
			if change, differs := d.item(x, nil, place); differs {
				c.Items = append(c.Items, change)
			}
		}
	}
	c.Sections = sections(a, b)
	c.Same = len(c.Items) == 0 && len(c.Sections) == 0
	for _, s := range c.Settings {
		if s.Cause != CauseCode { // another index says nothing by itself: the pieces tell whether it mattered
			c.Causes = append(c.Causes, s.Cause)
		}
	}
	for _, x := range c.Items {
		c.Causes = append(c.Causes, x.Cause)
	}
	for _, s := range c.Sections {
		switch s.Name {
		case "Recent Task History", "Active Blockers":
			c.Causes = append(c.Causes, CauseHistory)
		}
	}
	slices.Sort(c.Causes)
	c.Causes = slices.Compact(c.Causes)
	return c
}

// settings compares what holds for the whole context.
func settings(a, b *Receipt) []SettingChange {
	list := []SettingChange{}
	add := func(cause Cause, name, from, to string) {
		if from != to {
			list = append(list, SettingChange{Name: name, From: from, To: to, Cause: cause})
		}
	}
	add(CauseTask, "project", a.Project, b.Project)
	add(CauseTask, "agent", a.Agent, b.Agent)
	add(CausePolicy, "agent_kind", a.AgentKind, b.AgentKind)
	add(CausePolicy, "profile", a.Profile, b.Profile)
	add(CausePolicy, "mode", a.Mode, b.Mode)
	add(CausePolicy, "weights", a.Weights.String(), b.Weights.String())
	add(CausePolicy, "learned", learnedText(a.Learned), learnedText(b.Learned))
	add(CausePolicy, "inject_at", number(a.InjectAt), number(b.InjectAt))
	add(CausePolicy, "min_relevance", number(a.MinRelevance), number(b.MinRelevance))
	add(CauseTask, "task_id", a.TaskID, b.TaskID)
	add(CauseTask, "frame", a.Frame, b.Frame)
	add(CauseTask, "query", a.Query, b.Query)
	add(CauseBudget, "budget_tokens", fmt.Sprint(a.BudgetTokens), fmt.Sprint(b.BudgetTokens))
	add(CauseBudget, "encoding", a.Encoding, b.Encoding)
	if a.Generation != 0 && b.Generation != 0 { // else the index was not asked, or did not answer
		add(CauseCode, "generation", fmt.Sprint(a.Generation), fmt.Sprint(b.Generation))
	}
	add(CauseFault, "reasons", strings.Join(a.Reasons, ", "), strings.Join(b.Reasons, ", "))
	return list
}

// learnedText returns learned numbers as "code.bytes 9000, …"; "" for none.
func learnedText(list []Learned) string {
	var b []string
	for _, l := range list {
		b = append(b, l.Number+" "+number(l.To))
	}
	return strings.Join(b, ", ")
}

// String is the weights as "0.5/0.3/0.2".
func (w Weights) String() string {
	return number(w.Task) + "/" + number(w.Project) + "/" + number(w.Global)
}

func number(x float64) string { return fmt.Sprint(round(x)) }

func byID(r *Receipt) map[string]*Line {
	m := make(map[string]*Line, len(r.Items))
	for i := range r.Items {
		m[r.Items[i].ID] = &r.Items[i]
	}
	return m
}

// places numbers the kept pieces in the order of the context.
func places(r *Receipt) map[string]int {
	m := map[string]int{}
	for _, x := range r.Items {
		if x.Decision != Dropped {
			m[x.ID] = len(m)
		}
	}
	return m
}

func sections(a, b *Receipt) []SectionChange {
	list, old := []SectionChange{}, map[string]Section{}
	for _, s := range a.Sections {
		old[s.Name] = s
	}
	for _, s := range b.Sections {
		if o, ok := old[s.Name]; !ok || o.Hash != s.Hash {
			list = append(list, SectionChange{Name: s.Name, From: o.Tokens, To: s.Tokens})
		}
		delete(old, s.Name)
	}
	for _, s := range a.Sections {
		if _, gone := old[s.Name]; gone {
			list = append(list, SectionChange{Name: s.Name, From: s.Tokens})
		}
	}
	return list
}
