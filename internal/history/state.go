package history

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/contextd/contextd/internal/store"
)

// MarshalJSON writes the state as Import reads it: completed_tasks and blocked_tasks, then the fields that this version does not know.
func (s State) MarshalJSON() ([]byte, error) {
	return join(struct {
		Tasks    []Task    `json:"completed_tasks"`
		Blockers []Blocker `json:"blocked_tasks"`
	}{append([]Task{}, s.Tasks...), append([]Blocker{}, s.Blockers...)}, s.rest)
}

// UnmarshalJSON reads a state, an older one too: see [Task] and [Blocker] for what may be missing.
func (s *State) UnmarshalJSON(data []byte) error {
	f, ok := parseJSON[fields](data)
	if !ok || f == nil {
		return fmt.Errorf("state %.60q: want a JSON object", data)
	}
	*s = State{}
	var tasks, blockers []json.RawMessage
	for _, err := range []error{
		take(f, &tasks, "a list", parseJSON[[]json.RawMessage], "completed_tasks", "tasks"),
		take(f, &blockers, "a list", parseJSON[[]json.RawMessage], "blocked_tasks", "active_blockers", "blockers"),
	} {
		if err != nil {
			return err
		}
	}
	s.Tasks, s.Blockers = make([]Task, len(tasks)), make([]Blocker, len(blockers))
	for i, raw := range tasks {
		if err := s.Tasks[i].UnmarshalJSON(raw); err != nil {
			return fmt.Errorf("completed task %d: %w", i+1, err)
		}
	}
	for i, raw := range blockers {
		if err := s.Blockers[i].UnmarshalJSON(raw); err != nil {
			return fmt.Errorf("blocked task %d: %w", i+1, err)
		}
	}
	if len(f) > 0 {
		s.rest = f
	}
	return nil
}

// Import takes over the tasks and blockers of a state that something else kept, in their order, as the newest ones; it returns how many
// tasks were new. What is recorded already under an id stays as it is.
func (h *History) Import(ctx context.Context, project string, old State) (n int, err error) {
	err = h.change(ctx, project, "import a state", func(s State, revs map[string]int64) (writes []store.Write, events []Event, err error) {
		n = 0
		seen, seq := map[string]bool{}, s.last
		for i, t := range old.Tasks {
			if err := cmp.Or(t.check(), h.checkSecret("task", t.ID)); err != nil {
				return nil, nil, fmt.Errorf("completed task %d: %w", i+1, err)
			}
			if seen[t.ID] || revs[taskDoc+t.ID] != 0 {
				continue
			}
			seen[t.ID] = true
			t, event, err := h.capture(t)
			if err != nil {
				return nil, nil, fmt.Errorf("completed task %d: %w", i+1, err)
			}
			n, seq, t.seq = n+1, seq+1, seq+1
			data, err := t.record()
			if err != nil {
				return nil, nil, err
			}
			writes, events = append(writes, store.Write{ID: taskDoc + t.ID, Data: data, If: store.Absent}), append(events, event)
		}
		writes = append(prune(s.Tasks, len(writes)), writes[max(0, len(writes)-MaxTasks):]...)
		active := len(s.Blockers)
		for i, b := range old.Blockers {
			if err := cmp.Or(checkID("blocker", b.ID), h.checkSecret("blocker", b.ID)); err != nil {
				return nil, nil, fmt.Errorf("blocked task %d: %w", i+1, err)
			}
			if seen[blockerDoc+b.ID] || revs[blockerDoc+b.ID] != 0 {
				continue
			}
			seen[blockerDoc+b.ID] = true
			if active++; active > MaxBlockers {
				return nil, nil, fmt.Errorf("%w (%d would be)", ErrFull, active)
			}
			b.Reason = h.reason(b.Reason)
			data, err := b.MarshalJSON()
			if err != nil {
				return nil, nil, err
			}
			writes, events = append(writes, store.Write{ID: blockerDoc + b.ID, Data: data, If: store.Absent}), append(events, Event{Event: "blocked", Blocker: &b})
		}
		if len(old.rest) > 0 && revs[stateDoc] == 0 {
			data, err := json.Marshal(old.rest)
			if err != nil {
				return nil, nil, err
			}
			writes = append(writes, store.Write{ID: stateDoc, Data: data, If: cmp.Or(revs[stateDoc], store.Absent)})
		}
		return writes, events, nil
	})
	return n, err
}
