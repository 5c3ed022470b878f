package prompt

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/tokens"
)

// fitted is how a budget was divided. It is stored with the receipt, so that what budget would have kept a piece is
// worked out for who asks, and not in every call.
type fitted struct {
	Budget  int            `json:"budget"`
	Reserve int            `json:"reserve"`
	Parts   []tokens.Part  `json:"parts"`
	Shares  []tokens.Share `json:"shares"`
	Forms   []int          `json:"forms"`
	Of      map[string]int `json:"of"` // id of a piece → its part
}

// keepFitting stores how the budget was divided, if it left something out.
func (j *job) keepFitting(r *receipt.Receipt) error {
	if !slices.ContainsFunc(r.Items, func(l receipt.Line) bool { return l.Reason == reasonBudget }) {
		return nil
	}
	f := j.fitted
	f.Of = map[string]int{}
	for i := range j.choice.lines {
		if l := &j.choice.lines[i]; l.part >= 0 && l.reason == reasonBudget {
			f.Of[l.item.ID] = l.part
		}
	}
	data, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("write how the budget of %q was divided: %w", r.ID, err)
	}
	r.Fitting = data
	return nil
}

// fillNeededBudgets fills in what budget would have kept more of each piece.
func fillNeededBudgets(r *receipt.Receipt) error {
	if r.Fitting == nil {
		return nil
	}
	var f fitted
	if err := json.Unmarshal(r.Fitting, &f); err != nil {
		return fmt.Errorf("read how the budget of %q was divided: %w", r.ID, err)
	}
	r.Fitting = nil
	if len(f.Forms) != len(f.Parts) {
		return fmt.Errorf("read how the budget of %q was divided: %d forms of %d parts", r.ID, len(f.Forms),
			len(f.Parts))
	}
	for i := range r.Items {
		l := &r.Items[i]
		part, ok := f.Of[l.ID]
		if !ok || part < 0 || part >= len(f.Parts) || l.Reason != reasonBudget {
			continue
		}
		if n := tokens.BudgetFor(f.Budget, f.Parts, f.Shares, f.Forms, part); n > 0 {
			l.NeededBudget = n + f.Reserve
		}
	}
	return nil
}
