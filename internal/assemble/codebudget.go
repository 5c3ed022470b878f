package assemble

import (
	"cmp"
	"slices"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/tokens"
)

// Reasons of decisions on code beside those of package gates. A text has one, too: it says why it is no pointer.
const (
	reasonStrong   = "strong"          // text: its relevance is inject_at or above
	reasonToChange = "to_change"       // text: a file operation of the task is on its file
	reasonRoom     = "room_left"       // text: likely, and the code budget had room for it
	reasonInjectAt = "below_inject_at" // pointer: likely, and neither the profile nor the request lets likely code through as text
	reasonPossible = "possible"        // pointer: a guess
	reasonCap      = code.CapBytes     // pointer, or dropped: the code budget has no room for more
)

// grade says how code may stand in a prompt. Grades are those of package gates, and a piece that the task is to change.
type grade int

const (
	possible grade = iota + 1 // always a pointer, marked as a guess
	likely                    // text where room is left, else a pointer
	strong                    // text
	toChange                  // text
)

// grade is that of a result of some relevance. A request that says from where text stands is obeyed: below that nothing does, though
// the task is to change it.
func (j *job) grade(guess bool, relevance float64, path string) grade {
	switch {
	case guess:
		return possible
	case relevance >= j.policy.InjectAt:
		return strong
	case j.req.InjectAt == nil && j.changes(path):
		return toChange
	}
	return likely
}

// fills reports whether likely code may stand with its text.
func (j *job) fills() bool { return j.policy.LikelyText && j.req.InjectAt == nil }

// spend divides the bytes of the code budget: first the texts that are sure, in their order, then a pointer for every other piece, then
// the texts of likely pieces, the most relevance for each token first. What the task names and what was found have a budget each. A
// likely piece keeps its pointer as another form, for the tokens may not suffice.
func (j *job) spend() {
	for _, named := range []bool{true, false} {
		var lines []*line
		for i := range j.choice.lines {
			if l := &j.choice.lines[i]; l.grade != 0 && l.named == named && l.verdict != receipt.Dropped {
				lines = append(lines, l)
			}
		}
		j.spendOn(lines, j.policy.Code.Bytes)
	}
}

func (j *job) spendOn(lines []*line, left int) {
	take := func(bytes int) bool {
		fits := bytes <= left
		if fits {
			left -= bytes
		}
		return fits
	}
	short := map[*line]bool{} // sure, but without room for its text
	for _, l := range lines {
		if l.grade >= strong && take(len(l.item.Text)) {
			l.verdict, l.reason = receipt.Full, reasonStrong
			if l.grade == toChange {
				l.reason = reasonToChange
			}
		} else {
			l.verdict, short[l] = receipt.Pointer, l.grade >= strong
		}
	}
	var fill []*line
	for _, l := range lines {
		if l.verdict != receipt.Pointer {
			continue
		}
		switch {
		case !take(len(l.item.Line)):
			l.verdict, l.reason = receipt.Dropped, string(reasonCap)
		case short[l]:
			l.reason = string(reasonCap)
		case l.grade == possible:
			l.reason = reasonPossible
		case !j.fills():
			l.reason = reasonInjectAt
		default:
			l.reason = string(reasonCap)
			fill = append(fill, l)
		}
	}
	value := make(map[*line]float64, len(fill))
	for _, l := range fill {
		value[l] = tokens.PerToken(l.item.Relevance, j.counter.Count(l.item.Text)-j.counter.Count(l.item.Line))
	}
	slices.SortStableFunc(fill, func(a, b *line) int { return cmp.Compare(value[b], value[a]) })
	for _, l := range fill {
		if take(len(l.item.Text) - len(l.item.Line)) {
			l.verdict, l.reason = receipt.Full, reasonRoom
		}
	}
}
