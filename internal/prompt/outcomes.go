package prompt

import (
	"context"
	"slices"

	"github.com/contextd/contextd/internal/receipt"
)

// Outcomes joins the tasks of a project that are recorded as completed, the newest first, with the contexts that were
// compiled for them. It reaches back as far as history keeps tasks and the store receipts ([MaxReceipts]).
func (a *Assembler) Outcomes(ctx context.Context, project string) (receipt.Outcomes, error) {
	if a.History == nil {
		return receipt.Outcomes{}, errNoStore
	}
	ended, err := a.endedTasks(ctx, project)
	if err != nil {
		return receipt.Outcomes{}, err
	}
	receipts, err := a.Receipts(ctx, project, MaxReceipts)
	if err != nil {
		return receipt.Outcomes{}, err
	}
	slices.Reverse(ended)
	return receipt.Join(receipts, ended), nil
}
