package history

import (
	"cmp"
	"encoding/json"
	"fmt"
)

// MarshalJSON writes the state as Import reads it: completed_tasks and blocked_tasks, then the fields that this version
// does not know.
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
	if err := cmp.Or(
		take(f, &tasks, "a list", parseJSON[[]json.RawMessage], "completed_tasks", "tasks"),
		take(f, &blockers, "a list", parseJSON[[]json.RawMessage], "blocked_tasks", "active_blockers", "blockers"),
	); err != nil {
		return err
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
