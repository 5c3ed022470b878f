package prompt

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/dedup"
	"github.com/contextd/contextd/internal/intent"
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/safetext"
	"github.com/contextd/contextd/internal/tokens"
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

// form is one way in which a piece can stand in a prompt.
type form struct {
	verdict receipt.Decision
	piece   compile.Piece
	tokens  int
}

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

// forms are the ways in which a piece can stand, the best first. Without words no shorter ones are made.
func (j *job) forms(l *line, words tokens.Words) []form {
	full := compile.Piece{ID: l.item.ID, Source: sourceLabel(l.item.Source), Kind: l.item.Kind, Language: l.language,
		Text: l.item.Text, Verify: l.Verify, Date: dateOf(l.item.Kind, l.saidAt)}
	pointer := full
	pointer.Pointer, pointer.Guess, pointer.Text = true, l.grade == possible, l.item.Line
	full.Source = cmp.Or(l.place, full.Source)
	var out []form
	add := func(v receipt.Decision, p compile.Piece) {
		f := form{v, p, j.counter.Count(p.Rendered())}
		if len(out) == 0 || f.tokens < out[len(out)-1].tokens {
			out = append(out, f)
		}
	}
	if l.verdict != receipt.Pointer {
		ratio := 1.
		if words != nil && j.policy.Compress && !l.preserved && !l.asked {
			l.short, ratio = tokens.Compress(l.item.Text, tokens.FormOf(l.item.Kind), words, j.policy.Aggressiveness)
		}
		if ratio == 1 || j.policy.Mode != profile.Cheap { // in a cheap context what can be shortened is
			add(receipt.Full, full)
		}
		if ratio < 1 {
			full.Text = l.short
			add(receipt.Compressed, full)
		}
	}
	if l.block {
		add(receipt.Pointer, pointer)
	}
	return out
}

// sourceLabel is a source as a prompt names it: a path and its lines, or memory and the start of an id, whose rest
// would cost more tokens than it tells.
func sourceLabel(source string) string {
	if rest, ok := strings.CutPrefix(source, "file:"); ok {
		return rest
	}
	return safetext.Cut(source, len("memory:mem_")+8)
}

// dateOf is the day of a decision, as a prompt shows it; "" of anything else.
func dateOf(kind string, said time.Time) string {
	if kind != kindDecision || said.IsZero() {
		return ""
	}
	return said.UTC().Format(time.DateOnly)
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

// hasOwnBudget reports whether a piece is of a type of memory that the plan gives a budget of its own.
func (j *job) hasOwnBudget(l *line) bool {
	_, own := j.policy.Budgets[intent.Memory(l.item.Kind)]
	return own && !l.block
}

// budgetSection is what a piece's room is counted by: its type of memory where that has a budget of its own, else its
// scope.
func (j *job) budgetSection(l *line) string {
	if j.hasOwnBudget(l) {
		return "memory:" + l.item.Kind
	}
	return string(l.item.Scope)
}

// shares are the claims of the scopes by their weights, and the budgets of types of memory. Both adapt to what was
// used: a scope claims more if agents of this project used the kinds of its pieces, less if they did not, and a type's
// budget grows or shrinks as much.
func (j *job) shares() []tokens.Share {
	boost, n := map[profile.Scope]float64{}, map[profile.Scope]float64{}
	for i := range j.choice.lines {
		if l := &j.choice.lines[i]; l.verdict != receipt.Dropped {
			boost[l.item.Scope] += j.found.boosts.OfKind(l.item.Kind)
			n[l.item.Scope]++
		}
	}
	var shares []tokens.Share
	for _, s := range []profile.Scope{profile.Task, profile.Project, profile.Global} {
		shares = append(shares, tokens.Share{Section: string(s),
			Weight: j.policy.Weights.Of(s) * cmp.Or(boost[s], 1) / cmp.Or(n[s], 1)})
	}
	for _, m := range intent.Memories {
		if n, own := j.policy.Budgets[m]; own {
			most := int(float64(max(n, 0)) * j.found.boosts.OfKind(string(m)))
			shares = append(shares, tokens.Share{Section: "memory:" + string(m), Max: cmp.Or(most, -1)})
		}
	}
	return shares
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
