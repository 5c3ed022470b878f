package learn

import (
	"math"

	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/receipt"
)

const (
	// MinOutcomes is how many tasks of a kind of agent and profile must have ended before anything moves.
	MinOutcomes = 20
	// MaxMove is the share of the profile's own number by which it moves at most.
	MaxMove = .3
)

// Adjust is p with the numbers that seen speaks for, and what was changed. seen are the observations of one group.
func Adjust(p profile.Profile, seen []Observation) (profile.Profile, []receipt.Learned) {
	if len(seen) < MinOutcomes {
		return p, nil
	}
	own := p
	own.Weights = p.Weights.Normalized()
	moves, changes := make([]float64, len(numbers)), make([]receipt.Learned, len(numbers))
	for i := range numbers {
		d, much, little := compare(seen, i)
		moves[i] = min(MaxMove, max(-MaxMove, d))
		changes[i] = receipt.Learned{Number: numbers[i].name, Outcomes: len(seen), RateMuch: round(much.rate()),
			RateLittle: round(little.rate())}
	}
	balance(&own, moves)
	weighed := false
	var out []receipt.Learned
	for i := range numbers {
		n, c := &numbers[i], changes[i]
		from := n.of(&own)
		c.From, c.To = round(from), n.moved(from, moves[i])
		if c.From != c.To && (p.Compress || n.name != "compression_aggressiveness") {
			if n.share && !weighed {
				p.Weights, weighed = own.Weights, true
			}
			n.set(&p, c.To)
			out = append(out, c)
		}
	}
	return p, out
}

// moved is a number after its move: within MaxMove of what it was, and in its range unless the profile's own is outside
// of that.
func (n *number) moved(from, move float64) float64 {
	unit := 1e4 // receipts show four digits
	if n.whole {
		unit = 1
	}
	to := min(max(n.high, from), max(min(n.low, from), from*(1+move))) * unit
	switch {
	case math.Abs(to-from*unit) < 1e-6:
		return round(from)
	case to > from*unit:
		return math.Floor(to) / unit
	}
	return math.Ceil(to) / unit
}

// balance changes the moves of weights so that they still add up to 1 and none moves by more than MaxMove: what one
// gains the others lose.
func balance(p *profile.Profile, moves []float64) {
	sum, most := 0., 0.
	for i := range numbers {
		if numbers[i].share {
			sum += numbers[i].of(p) * (1 + moves[i])
		}
	}
	for i := range numbers {
		if numbers[i].share {
			moves[i] = (1+moves[i])/sum - 1
			most = max(most, math.Abs(moves[i]))
		}
	}
	if most > MaxMove {
		for i := range numbers {
			if numbers[i].share {
				moves[i] *= MaxMove / most
			}
		}
	}
}
