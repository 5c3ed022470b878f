package prompt

import (
	"cmp"

	"github.com/contextd/contextd/internal/intent"
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/tokens"
)

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
