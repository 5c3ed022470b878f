package assemble

import (
	"context"
	"fmt"

	"github.com/contextd/contextd/internal/receipt"
)

// Outcomes joins the tasks of a project that are recorded as completed, the newest first, with the contexts that were compiled for
// them. It reaches back as far as history keeps tasks and the store receipts ([MaxReceipts]).
func (a *Assembler) Outcomes(ctx context.Context, project string) (receipt.Outcomes, error) {
	if a.History == nil {
		return receipt.Outcomes{}, errNoStore
	}
	state, err := a.History.Load(ctx, project)
	if err != nil {
		return receipt.Outcomes{}, fmt.Errorf("read the tasks of project %q: %w", project, err)
	}
	receipts, err := a.Receipts(ctx, project, MaxReceipts)
	if err != nil {
		return receipt.Outcomes{}, err
	}
	ended := make([]receipt.Ended, 0, len(state.Tasks))
	for i := len(state.Tasks) - 1; i >= 0; i-- {
		t := state.Tasks[i]
		e := receipt.Ended{TaskID: t.ID}
		if !t.OutcomeUnknown {
			success := t.Success
			e.Success = &success
		}
		ended = append(ended, e)
	}
	return receipt.Join(receipts, ended), nil
}
