package prompt

import (
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/receipt"
)

// maxSettled bounds the decisions that are compared with each other.
const maxSettled = 300

// dropRepeatedMemory lets each thing that is remembered stand once: of texts of the same words the decision, or else
// the first, and of decisions on the same thing the newest. The others stay in memory, where a search finds them.
func (j *job) dropRepeatedMemory() {
	first := map[uint64]*line{}
	sayings := map[*line]memory.Saying{}
	var decisions []*line
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
		case isDecision(l) && !isDecision(old):
			old.drop(reasonRepeated)
			first[s.Key] = l
		default:
			if isDecision(l) && l.saidAt.After(old.saidAt) {
				old.saidAt = l.saidAt
			}
			l.drop(reasonRepeated)
			continue
		}
		if sayings[l] = s; isDecision(l) && len(decisions) < maxSettled {
			decisions = append(decisions, l)
		}
	}
	for _, old := range decisions {
		for _, l := range decisions {
			if l.verdict != receipt.Dropped && l.saidAt.After(old.saidAt) && sayings[l].Revises(sayings[old]) {
				old.drop(reasonSuperseded)
				break
			}
		}
	}
}

// isDecision reports whether a line is a decision.
func isDecision(l *line) bool { return l.item.Kind == kindDecision }
