package campaign

import "slices"

// Shrink leaves parts of steps out, larger ones first, as long as what is left still fails (delta debugging). It stops
// when no single step can be left out, or when more says that there is no time for another try. fails is never asked
// twice about one list.
func Shrink(steps []Step, fails func([]Step) bool, more func() bool) []Step {
	for parts := 2; len(steps) > 1; {
		parts = min(parts, len(steps))
		shorter, found := leaveOut(steps, parts, fails, more)
		switch {
		case found:
			steps, parts = shorter, max(parts-1, 2)
		case !more() || parts == len(steps):
			return steps
		default:
			parts *= 2
		}
	}
	return steps
}

// leaveOut is steps without the first of so many parts without which it still fails.
func leaveOut(steps []Step, parts int, fails func([]Step) bool, more func() bool) ([]Step, bool) {
	for i := range parts {
		from, to := i*len(steps)/parts, (i+1)*len(steps)/parts
		rest := slices.Concat(steps[:from], steps[to:])
		if len(rest) == 0 {
			continue
		}
		if !more() {
			break
		}
		if fails(rest) {
			return rest, true
		}
	}
	return nil, false
}
