package history

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/contextd/contextd/internal/store"
)

// MaxState is the greatest size of a state that is imported, in bytes.
const MaxState = 16 << 20

// Imported reports what an import did.
type Imported struct {
	Tasks int `json:"tasks"` // that were new
	// tasks that were recorded already, or stand twice in the state
	Known         int `json:"known"`
	Blockers      int `json:"blockers"`       // that were new
	KnownBlockers int `json:"known_blockers"` //
	// field → new tasks that lacked it: requires_context became false, success what the report says or unknown,
	// completed_at unknown
	Filled map[string]int `json:"filled"`
}

// Import takes over the tasks and blockers of a state that something else kept, in their order, as the newest ones, and
// reports what it did. What is recorded already under an id stays as it is, so the same state again changes nothing.
func (h *History) Import(ctx context.Context, project string, old State) (r Imported, err error) {
	err = h.change(ctx, project, "import a state", func(
		s State, revs map[string]int64,
	) (writes []store.Write, events []Event, err error) {
		r = Imported{Filled: map[string]int{}}
		seen, seq := map[string]bool{}, s.last
		for i, t := range old.Tasks {
			if err := cmp.Or(t.check(), checkSecret(ctx, "task", t.ID)); err != nil {
				return nil, nil, fmt.Errorf("completed task %d: %w", i+1, err)
			}
			if seen[t.ID] || revs[taskDoc+t.ID] != 0 {
				r.Known++
				continue
			}
			seen[t.ID] = true
			for _, field := range t.lacked {
				r.Filled[field]++
			}
			t, event, err := h.capture(ctx, t)
			if err != nil {
				return nil, nil, fmt.Errorf("completed task %d: %w", i+1, err)
			}
			r.Tasks, seq, t.seq = r.Tasks+1, seq+1, seq+1
			data, err := t.record()
			if err != nil {
				return nil, nil, err
			}
			writes, events = append(writes, store.Write{ID: taskDoc + t.ID, Data: data, If: store.Absent}),
				append(events, event)
		}
		writes = append(prune(s.Tasks, len(writes)), writes[max(0, len(writes)-MaxTasks):]...)
		active := len(s.Blockers)
		for i, b := range old.Blockers {
			if err := cmp.Or(checkID("blocker", b.ID), checkSecret(ctx, "blocker", b.ID)); err != nil {
				return nil, nil, fmt.Errorf("blocked task %d: %w", i+1, err)
			}
			if seen[blockerDoc+b.ID] || revs[blockerDoc+b.ID] != 0 {
				r.KnownBlockers++
				continue
			}
			r.Blockers++
			seen[blockerDoc+b.ID] = true
			if active++; active > MaxBlockers {
				return nil, nil, fmt.Errorf("%w (%d would be)", ErrFull, active)
			}
			if b.Reason, err = h.reason(ctx, b.Reason); err != nil {
				return nil, nil, err
			}
			data, err := b.MarshalJSON()
			if err != nil {
				return nil, nil, err
			}
			writes, events = append(writes, store.Write{ID: blockerDoc + b.ID, Data: data, If: store.Absent}),
				append(events, Event{Event: "blocked", Blocker: &b})
		}
		if len(old.rest) > 0 && revs[stateDoc] == 0 {
			data, err := json.Marshal(old.rest)
			if err != nil {
				return nil, nil, err
			}
			writes = append(writes, store.Write{ID: stateDoc, Data: data, If: store.Absent})
		}
		return writes, events, nil
	})
	return r, err
}
