package learn

import (
	"maps"
	"math"
	"slices"
)

const (
	shrink    = 4.0 // how many tasks of the common rate are added to those of each side
	errorsOut = 3.0 // standard errors of a difference that count as noise: each request looks again, at every number
	leastSide = 5   // tasks that each side must have
)

// side counts the tasks whose contexts had much, or little, of something.
type side struct{ tasks, succeeded float64 }

func (s *side) add(succeeded bool) {
	if s.tasks++; succeeded {
		s.succeeded++
	}
}

func (s side) rate() float64 { return s.succeeded / max(s.tasks, 1) }

// shrunken is the rate of success, drawn to the common one.
func (s side) shrunken(common float64) float64 {
	return (s.succeeded + shrink*common) / (s.tasks + shrink)
}

// variance is that of the rate; a side without any failure has some, too.
func (s side) variance() float64 {
	p := (s.succeeded + 1) / (s.tasks + 2)
	return p * (1 - p) / s.tasks
}

// compare tells by how much more often tasks succeeded that had much of measure i than those that had little, without
// what may be noise: from -1 to 1, 0 for nothing to be told. much and little are what they were told from.
func compare(seen []Observation, i int) (difference float64, much, little side) {
	strata := map[string][]Observation{}
	for _, o := range seen {
		if i < len(o.Measures) {
			strata[o.Alike] = append(strata[o.Alike], o)
		}
	}
	var sum, weights, variance float64
	for _, name := range slices.Sorted(maps.Keys(strata)) { // sums of floats depend on their order
		more, less := split(strata[name], i)
		if more.tasks == 0 || less.tasks == 0 {
			continue
		}
		common := (more.succeeded + less.succeeded) / (more.tasks + less.tasks)
		w := more.tasks * less.tasks / (more.tasks + less.tasks)
		sum += w * (more.shrunken(common) - less.shrunken(common))
		variance += w * w * (more.variance() + less.variance())
		weights += w
		much, little = side{much.tasks + more.tasks, much.succeeded + more.succeeded},
			side{little.tasks + less.tasks, little.succeeded + less.succeeded}
	}
	if much.tasks < leastSide || little.tasks < leastSide {
		return 0, much, little
	}
	d := sum / weights
	sure := math.Abs(d) - errorsOut*math.Sqrt(variance)/weights
	return math.Copysign(max(sure, 0), d), much, little
}

// split parts tasks at the median of measure i: what is above is much. Where the median is the most, all below it is
// little.
func split(seen []Observation, i int) (more, less side) {
	values := make([]float64, len(seen))
	for k, o := range seen {
		values[k] = o.Measures[i]
	}
	slices.Sort(values)
	at := values[(len(values)-1)/2]
	top := at == values[len(values)-1]
	for _, o := range seen {
		if x := o.Measures[i]; x > at || top && x == at {
			more.add(o.Succeeded)
		} else {
			less.add(o.Succeeded)
		}
	}
	return more, less
}
