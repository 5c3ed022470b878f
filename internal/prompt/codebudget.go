package prompt

import (
	"cmp"
	"slices"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/tokens"
)

// Reasons of decisions on code beside those of package gates. A text has one, too: it says why it is no pointer.
const (
	reasonStrong   = "strong"    // text: its relevance is inject_at or above
	reasonToChange = "to_change" // text: a file operation of the task is on its file
	reasonRoom     = "room_left" // text: likely, and the code budget had room for it
	// pointer: likely, and neither the profile nor the request lets likely code through as text
	reasonInjectAt = "below_inject_at"
	reasonPossible = "possible"    // pointer: a guess
	reasonCap      = code.CapBytes // pointer: the code budget has no room for its text
)

// grade says how code may stand in a prompt. Grades are those of package gates, and a piece that the task is to change.
type grade int

const (
	possible grade = iota + 1 // always a pointer, marked as a guess
	pointed                   // always a pointer: a line that the task names beside the first
	likely                    // text where room is left, else a pointer
	strong                    // text
	toChange                  // text
)

// grade is that of a result of some relevance. A request that says from where text stands is obeyed: below that nothing
// does, though the task is to change it.
func (j *job) grade(guess bool, relevance float64, path string) grade {
	switch {
	case guess:
		return possible
	case relevance >= j.policy.InjectAt:
		return strong
	case j.req.InjectAt == nil && j.changesFile(path):
		return toChange
	}
	return likely
}

// likelyAsText reports whether likely code may stand with its text.
func (j *job) likelyAsText() bool { return j.policy.LikelyText && j.req.InjectAt == nil }

// spendCodeBudget divides the bytes of the code budget among the texts: first those that are sure, in their order, then
// those of likely pieces, the most relevance for each token first. Every other piece stands as a pointer, which takes
// none of them. What the tokens of the context leave room for is decided later: a likely piece keeps its pointer as
// another form.
func (j *job) spendCodeBudget() {
	left := j.policy.Code.Bytes
	give := func(l *line, reason string) {
		if n := len(l.item.Text); n <= left {
			left -= n
			l.verdict, l.reason = receipt.Full, reason
		} else {
			l.verdict, l.reason = receipt.Pointer, string(reasonCap)
		}
	}
	var fill []*line
	value := map[*line]float64{}
	for i := range j.choice.lines {
		l := &j.choice.lines[i]
		if l.verdict == receipt.Dropped {
			continue
		}
		switch l.grade {
		case strong:
			give(l, reasonStrong)
		case toChange:
			give(l, reasonToChange)
		case possible:
			l.verdict, l.reason = receipt.Pointer, reasonPossible
		case pointed:
			l.verdict, l.reason = receipt.Pointer, reasonInjectAt
		case likely:
			if l.verdict, l.reason = receipt.Pointer, reasonInjectAt; j.likelyAsText() {
				fill = append(fill, l)
				value[l] = tokens.PerToken(l.item.Relevance, j.counter.Count(l.item.Text)-j.counter.Count(l.item.Line))
			}
		}
	}
	slices.SortStableFunc(fill, func(a, b *line) int { return cmp.Compare(value[b], value[a]) })
	for _, l := range fill {
		give(l, reasonRoom)
	}
}
