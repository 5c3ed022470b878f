package memory

import (
	"math"
	"slices"
	"strings"
	"time"
)

// Tier says when an item is loaded.
type Tier string

// The tiers.
const (
	Hot  Tier = "HOT"  // always loaded
	Warm Tier = "WARM" // on demand
	Cold Tier = "COLD" // put away by the next flash save; only when asked for by name
)

// The importance from which an item is HOT or WARM.
const (
	HotFrom  = 0.8
	WarmFrom = 0.4
)

// Tiers lists the tiers, the most important first.
func Tiers() []Tier { return []Tier{Hot, Warm, Cold} }

// ParseTier reads a tier in any case.
func ParseTier(s string) (Tier, error) {
	t := Tier(strings.ToUpper(strings.TrimSpace(s)))
	if !slices.Contains(Tiers(), t) {
		return "", invalid("tier", s, "one of "+list(Tiers()))
	}
	return t, nil
}

// TierOf is the tier of an importance.
func TierOf(importance float64) Tier {
	switch {
	case importance >= HotFrom:
		return Hot
	case importance >= WarmFrom:
		return Warm
	}
	return Cold
}

// Importance is how much an item matters at a time, in [0,1]: the weight of its kind × exp(−age in days / the kind's
// constant) × (1 + ln(accesses+1)/10), cut at 1. Its age counts from when it was last used, so that a use makes it
// fresh again; one that lies in the future (a clock that went back) is none. An importance that was given with the item
// (Pinned) stands as it is.
func Importance(it *Item, now time.Time) float64 {
	if it.Pinned != nil {
		return min(1, max(0, *it.Pinned))
	}
	t := traits[it.Kind]
	if t == nil { // written by a newer version
		t = traits["episode"]
	}
	weight := t.Weight
	if it.Past && it.Scope == ScopeTask {
		weight = t.Past
	}
	last := it.LastAccessed
	if last.Before(it.CreatedAt) {
		last = it.CreatedAt
	}
	days := max(0, now.Sub(last).Hours()/day.Hours())
	return min(1, weight*math.Exp(-days/t.Days)*(1+math.Log(float64(max(0, it.AccessCount))+1)/10))
}

// rate sets the importance and tier of an item as of now.
func (it *Item) rate(now time.Time) {
	it.Importance = Importance(it, now)
	if it.Demoted {
		it.Importance = min(it.Importance, demotedTo)
	}
	it.Tier = TierOf(it.Importance)
}

// noted is the change of importance below which it is not written again while the tier stays.
const noted = 0.01

// Retier gives the items their importance and tier as of now and returns those that changed enough to be written.
// current is the task now worked on: items of scope task that were written for another one count as past, those without
// a task do not; "" leaves that as it is.
func Retier(items []Item, current string, now time.Time) []Item {
	var changed []Item
	for _, it := range items {
		was := it
		if current != "" && it.Scope == ScopeTask {
			it.Past = it.TaskID != "" && it.TaskID != current
		}
		it.rate(now)
		if it.Tier != was.Tier || it.Past != was.Past || math.Abs(it.Importance-was.Importance) >= noted {
			changed = append(changed, it)
		}
	}
	return changed
}
