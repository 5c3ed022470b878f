package prompt

import (
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/receipt"
)

// maxSettled bounds the decisions that are compared with each other.
const maxSettled = 300

// settle lets each thing that is remembered stand once: of texts of the same words the decision, or else the first, and
// of decisions on the same thing the newest. The others stay in memory, where a search finds them.
func (j *job) settle() {
	first := map[uint64]*line{}
	sayings := map[*line]memory.Saying{}
	var decisions []*line
	drop := func(l *line, reason string) { l.verdict, l.reason = receipt.Dropped, reason }
	for i := range j.choice.lines {
		l := &j.choice.lines[i]
		if l.block || l.verdict == receipt.Dropped {
			continue
		}
		s := memory.SayingOf(l.item.Text)
		old, twice := first[s.Key]
		switch {
		case s.Key == 0:
		case !twice:
			first[s.Key] = l
		case decided(l) && !decided(old):
			drop(old, reasonRepeated)
			first[s.Key] = l
		default:
			if decided(l) && l.said.After(old.said) {
				old.said = l.said
			}
			drop(l, reasonRepeated)
			continue
		}
		if sayings[l] = s; decided(l) && len(decisions) < maxSettled {
			decisions = append(decisions, l)
		}
	}
	for _, old := range decisions {
		for _, l := range decisions {
			if l.verdict != receipt.Dropped && l.said.After(old.said) && sayings[l].Revises(sayings[old]) {
				drop(old, reasonSuperseded)
				break
			}
		}
	}
}

// decided reports whether a line is a decision.
func decided(l *line) bool { return l.item.Kind == kindDecision }
