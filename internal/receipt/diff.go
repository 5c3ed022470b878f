package receipt

import (
	"fmt"
	"math"
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
	From     string          `json:"from"`   // id
	To       string          `json:"to"`     // id
	Same     bool            `json:"same"`   // nothing that an agent sees changed
	Causes   []Cause         `json:"causes"` // of settings and pieces that differ; another generation of the index alone is none
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
	c := &Changes{From: a.ID, To: b.ID, Causes: []Cause{}, Settings: settings(a, b), Items: []ItemChange{}, Sections: []SectionChange{},
		Tokens: b.Tokens - a.Tokens, Prefix: a.PrefixHash != b.PrefixHash}
	d := differ{old: byID(a), places: places(a)}
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

// differ compares the pieces of two receipts.
type differ struct {
	old    map[string]*Line
	places map[string]int // of a
	has    func(Cause) bool
}

// item compares a piece as it was in a with what it is in b; one of them may be nil.
func (d *differ) item(x, y *Line, place map[string]int) (ItemChange, bool) {
	switch {
	case x == nil && y.Decision == Dropped, y == nil && x.Decision == Dropped: // was nothing, is nothing
		return ItemChange{}, false
	case x == nil:
		c := ItemChange{ID: y.ID, Source: y.Source, To: y.Decision, Cause: d.appeared(y)}
		c.Why = map[Cause]string{CauseMemory: "it was remembered since", CauseTask: "it was not found for the other question",
			CauseCode: "the index has changed", CauseFault: "its source did not answer before", CausePolicy: "it was not asked for before"}[c.Cause]
		if c.Why == "" {
			c.Why = "it was not found before"
		}
		return c, true
	case y == nil:
		c := ItemChange{ID: x.ID, Source: x.Source, From: x.Decision, Cause: d.appeared(x)}
		c.Why = map[Cause]string{CauseMemory: "it was forgotten or put away", CauseTask: "it is not found for the other question",
			CauseCode: "the index has changed", CauseFault: "its source did not answer", CausePolicy: "it is not asked for any more"}[c.Cause]
		if c.Why == "" {
			c.Why = "it is not found any more"
		}
		return c, true
	}
	c := ItemChange{ID: y.ID, Source: y.Source, From: x.Decision, To: y.Decision}
	switch {
	case x.Decision == Dropped && y.Decision == Dropped:
		return c, false
	case x.Hash != y.Hash:
		c.Cause, c.Why = CauseCode, "its text changed"
		if memory(y) {
			c.Cause = CauseMemory
		}
	case x.Decision != y.Decision:
		c.Cause, c.Why = d.decided(x, y)
	case d.places[x.ID] != place[y.ID] && differs(x.Score, y.Score): // else it stands elsewhere because another came or went
		c.Cause, c.Why = d.moved(x, y)
	default:
		return c, false
	}
	return c, true
}

func differs(a, b float64) bool { return math.Abs(a-b) > 5e-5 }

// appeared is why a piece was not considered in one of the two.
func (d *differ) appeared(x *Line) Cause {
	switch {
	case d.has(CauseFault):
		return CauseFault
	case d.has(CauseTask):
		return CauseTask
	case d.has(CausePolicy):
		return CausePolicy
	case memory(x):
		return CauseMemory
	case d.has(CauseCode):
		return CauseCode
	}
	return CauseRanking
}

// decided is why the same text was decided on otherwise: what speaks of it in the line itself goes before what holds for the whole.
func (d *differ) decided(x, y *Line) (Cause, string) {
	worse := y
	if rank(x.Decision) > rank(y.Decision) {
		worse = x
	}
	why := fmt.Sprintf("%s, before %s", said(y), said(x))
	switch {
	case worse.Reason == "redundant":
		return CauseDedup, why
	case d.has(CausePolicy):
		return CausePolicy, why
	case worse.NeededBudget > 0 && d.has(CauseBudget):
		return CauseBudget, why
	case differs(x.Boost, y.Boost) && !differs(x.Relevance, y.Relevance):
		return CauseUsage, fmt.Sprintf("boost %s, before %s", number(y.Boost), number(x.Boost))
	case differs(x.Relevance, y.Relevance):
		return CauseRanking, fmt.Sprintf("relevance %s, before %s", number(y.Relevance), number(x.Relevance))
	case differs(x.Importance, y.Importance):
		return CauseMemory, fmt.Sprintf("importance %s, before %s", number(y.Importance), number(x.Importance))
	case worse.NeededBudget > 0: // others took its room
		return CauseBudget, why
	case d.has(CauseTask):
		return CauseTask, why
	}
	return CauseRanking, why
}

// moved is why a piece's score is another.
func (d *differ) moved(x, y *Line) (Cause, string) {
	switch {
	case d.has(CauseTask):
		return CauseTask, fmt.Sprintf("score %s, before %s", number(y.Score), number(x.Score))
	case differs(x.Relevance, y.Relevance):
		return CauseRanking, fmt.Sprintf("relevance %s, before %s", number(y.Relevance), number(x.Relevance))
	case differs(x.Boost, y.Boost):
		return CauseUsage, fmt.Sprintf("boost %s, before %s", number(y.Boost), number(x.Boost))
	case differs(x.Importance, y.Importance):
		return CauseMemory, fmt.Sprintf("importance %s, before %s", number(y.Importance), number(x.Importance))
	}
	return CausePolicy, fmt.Sprintf("score %s, before %s", number(y.Score), number(x.Score))
}

func memory(x *Line) bool { return strings.HasPrefix(x.Source, "memory:") }

func rank(d Decision) int { return slices.Index([]Decision{Full, Compressed, Pointer, Dropped}, d) }

// said is a decision with its reason.
func said(x *Line) string {
	if x.Reason == "" {
		return string(x.Decision)
	}
	return string(x.Decision) + " (" + x.Reason + ")"
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
