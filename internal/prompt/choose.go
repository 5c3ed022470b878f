package prompt

import (
	"slices"

	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/dedup"
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/receipt"
)

// Reasons of decisions beside those of packages profile and code.
const (
	reasonRedundant = "redundant" // the conversation says it already
	reasonBudget    = "budget"    // no room
	reasonHeld      = "held"      // the agent's window holds it already

	reasonRepeated   = "repeated"   // another memory says the same in the same words
	reasonSuperseded = "superseded" // a newer decision on the same thing replaces it
)

// choice is what was decided on each piece, and the text that it stands with.
type choice struct {
	lines []line // as a profile orders them
}

// line is a piece with its decision.
type line struct {
	item
	section   string // name of the one where it stands
	boost     float64
	score     float64
	preserved bool // of the head or the tail
	verdict   receipt.Decision
	reason    string
	short     string // the compressed text; "" if there is none
	cost      int    // tokens that it takes
	part      int    // index among the parts; -1 for none
	forms     []form
}

func (l *line) drop(reason string) { l.verdict, l.reason, l.cost = receipt.Dropped, reason, 0 }

// choose decides on each piece by the profile, and against the conversation.
func (j *job) choose(items []item, e dedup.Embedder) {
	plain := make([]profile.Item, len(items))
	at := make(map[string]int, len(items))
	for i := range items {
		plain[i] = items[i].Item
		if _, twice := at[items[i].ID]; !twice {
			at[items[i].ID] = i
		}
	}
	decisions := profile.Select(plain, j.policy, j.found.boosts.Of)
	j.choice.lines = make([]line, len(decisions))
	for i := range decisions {
		d, l := &decisions[i], &j.choice.lines[i]
		l.item, l.boost, l.score, l.preserved, l.verdict, l.part = items[at[d.Item.ID]], d.Boost, d.Score, d.Preserved,
			receipt.Full, -1
		l.section = j.heading(&l.item)
		switch {
		case !d.Kept:
			l.drop(string(d.Reason))
		case !j.mayBeText(&l.item):
			l.verdict = receipt.Pointer
		}
	}
	j.dropRepeatedMemory()
	j.dedup(e)
	j.dropHeld()
	j.spendCodeBudget()
	j.dropHeldPointers()
}

// mayBeText reports whether a piece can stand with its text at all.
func (j *job) mayBeText(it *item) bool {
	return !it.block || it.grade >= strong || it.grade == likely && j.likelyAsText()
}

// dedup drops what this agent's live window says already. Code has to stand there letter by letter: what resembles it
// is other code.
func (j *job) dedup(e dedup.Embedder) {
	if !j.plan.Dedup || len(j.req.Conversation) == 0 {
		return
	}
	var texts []string
	var of []int
	for i := range j.choice.lines {
		if l := &j.choice.lines[i]; l.verdict == receipt.Full {
			texts, of = append(texts, l.item.Text), append(of, i)
		}
	}
	if len(texts) == 0 {
		return
	}
	var messages []dedup.Message
	for _, m := range j.req.Conversation {
		if !j.found.compacted[receipt.ShortHash(m.Content)] {
			messages = append(messages, dedup.Message{Content: m.Content})
		}
	}
	r := dedup.FindRedundant(texts, messages, dedup.Options{Turns: j.plan.Turns, Fade: j.req.DedupFade}.WithDefaults(),
		e)
	if r.Err != nil {
		j.degrade(DedupByWords)
	}
	for k, v := range r.Verdicts {
		l := &j.choice.lines[of[k]]
		if v.Redundant && (!l.block || v.By == dedup.Verbatim) {
			l.drop(reasonRedundant)
		}
	}
}

// heading is the name of the section where a piece stands.
func (j *job) heading(it *item) string {
	source, base := profile.SourceMemory, compile.SectionMemory
	if it.block {
		source, base = profile.SourceCode, compile.SectionCode
	}
	if l, own := j.strategy.(compile.Layout); own {
		return l.Heading(source, base)
	}
	return base
}

// kept are the lines that stand in the context, in their order.
func (c *choice) kept() []*line {
	var out []*line
	for i := range c.lines {
		if c.lines[i].verdict != receipt.Dropped {
			out = append(out, &c.lines[i])
		}
	}
	return out
}

// crowdedOut reports whether pieces were found and the budget let none of them in.
func (c *choice) crowdedOut() bool {
	return len(c.kept()) == 0 && slices.ContainsFunc(c.lines, func(l line) bool { return l.reason == reasonBudget })
}

// sorted are the lines as a receipt has them: what stands in the context first.
func (c *choice) sorted() []*line {
	out := c.kept()
	for i := range c.lines {
		if c.lines[i].verdict == receipt.Dropped {
			out = append(out, &c.lines[i])
		}
	}
	return out
}
