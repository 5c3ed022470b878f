package history

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"
)

// MaxBlockers is how many blockers may be active at once in a project.
const MaxBlockers = 100

const maxReason = 500 // characters

// Blocker is a task that cannot go on.
type Blocker struct {
	ID        string    `json:"id"` // of the task
	Reason    string    `json:"reason"`
	BlockedAt time.Time `json:"blocked_at,omitzero"`

	rest fields
}

// MarshalJSON writes the blocker with the fields that this version does not know.
func (b Blocker) MarshalJSON() ([]byte, error) {
	type plain Blocker // without this method
	b.BlockedAt = b.BlockedAt.UTC()
	return join(plain(b), b.rest)
}

// UnmarshalJSON reads a blocker of this or an older state, of which an id alone will do.
func (b *Blocker) UnmarshalJSON(data []byte) error {
	*b = Blocker{}
	if id, ok := parseText(data); ok {
		b.ID = id
		return nil
	}
	var f fields
	if err := json.Unmarshal(data, &f); err != nil || f == nil {
		return fmt.Errorf("blocker %.60q: want an object or an id", data)
	}
	if err := cmp.Or(
		take(f, &b.ID, "text", parseText, "id", "task_id"),
		take(f, &b.Reason, "text", parseJSON[string], "reason"),
		take(f, &b.BlockedAt, "an ISO 8601 time", parseTime, "blocked_at"),
	); err != nil {
		return fmt.Errorf("blocker %q: %w", b.ID, err)
	}
	if len(f) > 0 {
		b.rest = f
	}
	return nil
}
