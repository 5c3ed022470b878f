package profile

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/intent"
)

// Reason says why an item was dropped.
type Reason string

// The reasons, in the order in which they are looked for.
const (
	NothingAsked     Reason = "nothing_asked"      // the text greets: nothing is kept
	DuplicateID      Reason = "duplicate_id"       // an item before it has the same id
	KindExcluded     Reason = "kind_excluded"      // the profile excludes its kind
	KindNotPreferred Reason = "kind_not_preferred" // the profile keeps preferred kinds only
	TypeSkipped      Reason = "type_skipped"       // the plan skips its type of memory
	LowImportance    Reason = "low_importance"     // below the profile's least importance
	OtherTags        Reason = "other_tags"         // it has tags, the task has tags, and they share none
	MaxPerType       Reason = "max_per_type"       // the plan's number of items of its type of memory is reached
)

// otherKinds is what kinds that are neither preferred nor excluded are worth beside preferred ones.
const otherKinds = .5

// Limits of a boost by usage.
const (
	minBoost = .5
	maxBoost = 1.5
)

// Decision is what becomes of one item.
type Decision struct {
	Item      Item
	Boost     float64 // by usage, .5 to 1.5; 1 when nothing is known
	Score     float64 // what it is ordered by; also of a dropped one
	Kept      bool
	Reason    Reason // "" if it is kept
	Preserved bool   // it is of the head or tail: to be kept whole, and before others when the budget is short
}

// Select decides on each item: first the kept ones, the best first, then the dropped ones, the best first. Between
// equals the order of the input stays. boost is what usage says of an id, and may be nil.
//
// An item passes if its kind, importance and tags do. Items without tags, and all items where the task has none, pass
// by tags: code has no tags, and what is not labelled is not of another subject. The score of an item is
//
//	weight of its scope × 1 or, of a kind that is not preferred, .5 × worth × boost of mention × boost of usage
//
// Its worth is the greater of importance and relevance with a quarter of the lesser, over 1.25: what matters whatever
// is asked and was not asked for stands level with what was found. A mentioned file doubles the score and mentioned
// lines treble it. Head and tail are counted in the order of the input among what passes, so a caller gives what frames
// the task first and what is newest last. A guess is of neither.
func Select(items []Item, r Request, boost func(id string) float64) []Decision {
	decisions := make([]Decision, len(items))
	seen := make(map[string]bool, len(items))
	var kept []int
	for i := range items {
		d := &decisions[i]
		d.Item, d.Boost = items[i], 1
		it := &d.Item
		if boost != nil {
			if b := boost(it.ID); !math.IsNaN(b) {
				d.Boost = min(maxBoost, max(minBoost, b))
			}
		}
		d.Score = r.score(it) * d.Boost
		if d.Reason = r.dropReason(it); d.Reason == "" && it.ID != "" && seen[it.ID] {
			d.Reason = DuplicateID
		}
		seen[it.ID] = true
		if d.Kept = d.Reason == ""; d.Kept {
			kept = append(kept, i)
		}
	}
	kept = r.limitPerType(decisions, kept)
	sure := slices.DeleteFunc(kept, func(i int) bool { return decisions[i].Item.Guess })
	for n, i := range sure {
		decisions[i].Preserved = n < r.Head || n >= len(sure)-r.Tail
	}
	return sortDecisions(decisions)
}

// sortDecisions sorts decisions. They are large, so their numbers are sorted first.
func sortDecisions(decisions []Decision) []Decision {
	order := make([]int, len(decisions))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := &decisions[i], &decisions[j]
		if a.Kept != b.Kept {
			if a.Kept {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.Score, a.Score), i-j)
	})
	out := make([]Decision, len(decisions))
	for k, i := range order {
		out[k] = decisions[i]
	}
	return out
}

// limitPerType drops the worst of each type of memory of which there are too many, and returns what is left.
func (r *Request) limitPerType(decisions []Decision, kept []int) []int {
	if r.MaxPerType <= 0 {
		return kept
	}
	byScore := slices.Clone(kept)
	slices.SortStableFunc(byScore, func(a, b int) int { return cmp.Compare(decisions[b].Score, decisions[a].Score) })
	count := map[intent.Memory]int{}
	for _, i := range byScore {
		m := intent.Memory(decisions[i].Item.Kind)
		if !slices.Contains(intent.Memories, m) {
			continue
		}
		if count[m]++; count[m] > r.MaxPerType {
			decisions[i].Kept, decisions[i].Reason = false, MaxPerType
		}
	}
	return slices.DeleteFunc(kept, func(i int) bool { return !decisions[i].Kept })
}

// dropReason is what speaks against an item by itself.
func (r *Request) dropReason(it *Item) Reason {
	if r.Nothing {
		return NothingAsked
	}
	if reason := r.kindReason(it.Kind); reason != "" {
		return reason
	}
	switch {
	case !(it.Importance >= r.MinImportance):
		return LowImportance
	case len(it.Tags) > 0 && len(r.Tags) > 0 && !slices.ContainsFunc(it.Tags, func(tag string) bool {
		_, ok := slices.BinarySearch(r.Tags, strings.ToLower(tag))
		return ok
	}):
		return OtherTags
	}
	return ""
}

func (r *Request) kindReason(kind string) Reason {
	switch {
	case slices.Contains(r.Excluded, kind):
		return KindExcluded
	case r.OnlyPreferred && !slices.Contains(r.Preferred, kind):
		return KindNotPreferred
	case slices.Contains(r.Skip, intent.Memory(kind)):
		return TypeSkipped
	}
	return ""
}

// score is the item's score without the boost by usage.
func (r *Request) score(it *Item) float64 {
	a, b := clamp01(it.Importance), clamp01(it.Relevance)
	s := r.Weights.Of(it.Scope) * (max(a, b) + min(a, b)/4) / 1.25 * r.mentionBoost(it.Source)
	if len(r.Preferred) > 0 && !slices.Contains(r.Preferred, it.Kind) {
		s *= otherKinds
	}
	return s
}

// clamp01 is x within [0,1]; what is no number is 0.
func clamp01(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return min(1, max(0, x))
}
