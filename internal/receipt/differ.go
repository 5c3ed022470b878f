package receipt

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// rejectedFiles are the files that a gate kept away, by source: before a piece of one is made there is one line for the
// whole file. Older receipts do not tell their relevance.
func rejectedFiles(r *Receipt) map[string]*Line {
	m := map[string]*Line{}
	for i := range r.Items {
		if x := &r.Items[i]; x.Decision == Dropped && x.Hash == "" && x.Relevance > 0 {
			m[fileOf(x.Source)] = x
		}
	}
	return m
}

// fileOf is the source of a piece without its lines.
func fileOf(source string) string {
	if i := strings.LastIndexByte(source, ':'); i >= len("file:") && strings.Trim(source[i+1:], "0123456789-") == "" {
		return source[:i]
	}
	return source
}

// pieceDiffer compares the pieces of two receipts.
type pieceDiffer struct {
	old           map[string]*Line
	before, after map[string]*Line // what was refused in a and in b
	places        map[string]int   // of a
	// other memories stand in one than in the other: how rare a word is among them is another
	remembered bool
	has        func(Cause) bool
}

// item compares a piece as it was in a with what it is in b; one of them may be nil.
func (d *pieceDiffer) item(x, y *Line, place map[string]int) (ItemChange, bool) {
	switch {
	case x == nil && y.Decision == Dropped, y == nil && x.Decision == Dropped: // was nothing, is nothing
		return ItemChange{}, false
	case x == nil:
		c := ItemChange{ID: y.ID, Source: y.Source, To: y.Decision, Cause: d.appeared(y)}
		c.Why = map[Cause]string{CauseMemory: "it was remembered since",
			CauseTask: "it was not found for the other question", CauseCode: "the index has changed",
			CauseFault: "its source did not answer before", CausePolicy: "it was not asked for before"}[c.Cause]
		if r := d.before[fileOf(y.Source)]; r != nil {
			c.Why = fmt.Sprintf("relevance %s, before %s (%s)", number(y.Relevance), number(r.Relevance), r.Reason)
		} else if c.Why == "" {
			c.Why = "it was not found before"
		}
		return c, true
	case y == nil:
		c := ItemChange{ID: x.ID, Source: x.Source, From: x.Decision, Cause: d.appeared(x)}
		c.Why = map[Cause]string{CauseMemory: "it was forgotten or put away",
			CauseTask: "it is not found for the other question", CauseCode: "the index has changed",
			CauseFault: "its source did not answer", CausePolicy: "it is not asked for any more"}[c.Cause]
		if r := d.after[fileOf(x.Source)]; r != nil {
			c.Why = fmt.Sprintf("relevance %s (%s), before %s", number(r.Relevance), r.Reason, number(x.Relevance))
		} else if c.Why == "" {
			c.Why = "it is not found any more"
		}
		return c, true
	}
	c := ItemChange{ID: y.ID, Source: y.Source, From: x.Decision, To: y.Decision}
	switch {
	case x.Decision == Dropped && y.Decision == Dropped:
		return c, false
	case x.Hash != y.Hash && !guess(x) && !guess(y):
		c.Cause, c.Why = CauseCode, "its text changed"
		if memory(y) {
			c.Cause = CauseMemory
		}
	case x.Decision != y.Decision:
		c.Cause, c.Why = d.decided(x, y)
	case d.places[x.ID] != place[y.ID] && differs(x.Score, y.Score):
		// else it stands elsewhere because another came or went
		c.Cause, c.Why = d.moved(x, y)
	default:
		return c, false
	}
	return c, true
}

func differs(a, b float64) bool { return math.Abs(a-b) > 5e-5 }

// appeared is why a piece was not considered in one of the two.
func (d *pieceDiffer) appeared(x *Line) Cause {
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

// decided is why the same text was decided on otherwise: what speaks of it in the line itself goes before what holds
// for the whole.
func (d *pieceDiffer) decided(x, y *Line) (Cause, string) {
	worse := y
	if rank(x.Decision) > rank(y.Decision) {
		worse = x
	}
	why := fmt.Sprintf("%s, before %s", decisionText(y), decisionText(x))
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
		return d.ranked(y), fmt.Sprintf("relevance %s, before %s", number(y.Relevance), number(x.Relevance))
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
func (d *pieceDiffer) moved(x, y *Line) (Cause, string) {
	switch {
	case d.has(CauseTask):
		return CauseTask, fmt.Sprintf("score %s, before %s", number(y.Score), number(x.Score))
	case differs(x.Relevance, y.Relevance):
		return d.ranked(y), fmt.Sprintf("relevance %s, before %s", number(y.Relevance), number(x.Relevance))
	case differs(x.Boost, y.Boost):
		return CauseUsage, fmt.Sprintf("boost %s, before %s", number(y.Boost), number(x.Boost))
	case differs(x.Importance, y.Importance):
		return CauseMemory, fmt.Sprintf("importance %s, before %s", number(y.Importance), number(x.Importance))
	}
	return CausePolicy, fmt.Sprintf("score %s, before %s", number(y.Score), number(x.Score))
}

// ranked is why a piece has another relevance for the same question.
func (d *pieceDiffer) ranked(x *Line) Cause {
	if memory(x) && d.remembered {
		return CauseMemory
	}
	return CauseRanking
}

// memories are the ids of the memories of a receipt, sorted.
func memories(r *Receipt) (ids []string) {
	for i := range r.Items {
		if memory(&r.Items[i]) {
			ids = append(ids, r.Items[i].ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// guess reports whether a piece stands as a guess, of which only one line was read.
func guess(x *Line) bool { return x.Reason == "possible" }

func memory(x *Line) bool { return strings.HasPrefix(x.Source, "memory:") }

func rank(d Decision) int { return slices.Index([]Decision{Full, Compressed, Pointer, Dropped}, d) }

// decisionText returns a decision with its reason.
func decisionText(x *Line) string {
	if x.Reason == "" {
		return string(x.Decision)
	}
	return string(x.Decision) + " (" + x.Reason + ")"
}
