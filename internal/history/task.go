package history

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"
)

// Limits of what is recorded, in bytes.
const (
	MaxID   = 200     // of the id or the type of a task
	MaxTask = 1 << 20 // of a task as JSON
)

// Task is a completed task.
type Task struct {
	ID string `json:"task_id"`
	// what kind of task, for windows of one kind; "" if nobody said
	Type             string          `json:"task_type,omitempty"`
	CompletedAt      time.Time       `json:"completed_at,omitzero"`
	RequiresContext  bool            `json:"requires_context"`
	Intent           string          `json:"intent,omitempty"`        // what was to be done; "" unless RequiresContext
	Summary          string          `json:"summary,omitempty"`       // what was done; "" unless RequiresContext
	Success          *bool           `json:"success,omitempty"`       // nil: unknown
	ChangedFiles     []string        `json:"changed_files,omitempty"` // relative to the root
	ValidationReport json.RawMessage `json:"validation_report,omitempty"`

	rest   fields   // what this version does not know
	lacked []string // fields of those that are filled in, which were not there when it was read

	// Kept by this package, out of sight.
	seq             int64  // place in the order of recording
	intent, summary string // captured, whatever the toggle
	digest          string // of the record as it came, so that the same one again is known
	outer           fields // what this version does not know of the record around it
}

// MarshalJSON writes the task with the fields that this version does not know, by name, at the end.
func (t Task) MarshalJSON() ([]byte, error) {
	type plain Task // without this method
	t.CompletedAt = t.CompletedAt.UTC()
	return join(plain(t), t.rest)
}

// UnmarshalJSON reads a task of this or an older state. Of an older one, an id alone will do: requires_context is false
// where it is missing, success what the validation report says of it and else unknown, a time without zone is UTC.
func (t *Task) UnmarshalJSON(data []byte) error {
	*t = Task{}
	if id, ok := parseText(data); ok {
		t.ID, t.lacked = id, filledIn
		return nil
	}
	var f fields
	if err := json.Unmarshal(data, &f); err != nil || f == nil {
		return fmt.Errorf("task %.60q: want an object or an id", data)
	}
	return t.take(f)
}

// filledIn are the fields that older states lack and that get a value all the same.
var filledIn = []string{"requires_context", "success", "completed_at"}

// take reads a task from f; what is left in f becomes its rest.
func (t *Task) take(f fields) error {
	for _, name := range filledIn {
		if raw, ok := f[name]; !ok || string(raw) == "null" {
			t.lacked = append(t.lacked, name)
		}
	}
	if err := cmp.Or(
		take(f, &t.ID, "text", parseText, "task_id", "id"),
		take(f, &t.Type, "text", parseJSON[string], "task_type", "type"),
		take(f, &t.CompletedAt, "an ISO 8601 time", parseTime, "completed_at"),
		take(f, &t.RequiresContext, "true or false", parseJSON[bool], "requires_context"),
		take(f, &t.Intent, "text", parseJSON[string], "intent"),
		take(f, &t.Summary, "text", parseJSON[string], "summary"),
		take(f, &t.Success, "true or false", parseJSON[*bool], "success"),
		take(f, &t.ChangedFiles, "a list of paths", parseJSON[[]string], "changed_files"),
		take(f, &t.ValidationReport, "JSON", parseRaw, "validation_report"),
	); err != nil {
		return fmt.Errorf("task %q: %w", t.ID, err)
	}
	if t.Success == nil {
		t.Success = OutcomeOf(t.ValidationReport).success()
	}
	if len(f) > 0 {
		t.rest = f
	}
	return nil
}

// Outcome is how the task ended.
func (t Task) Outcome() Outcome {
	if t.Success == nil {
		return Unknown
	}
	return verdictOf(*t.Success)
}

// check names what is wrong with a task.
func (t Task) check() error {
	if err := checkID("task", t.ID); err != nil {
		return err
	}
	if t.Type != "" {
		if err := checkID("task type", t.Type); err != nil {
			return err
		}
	}
	if len(t.ValidationReport) > 0 && !json.Valid(t.ValidationReport) {
		return fmt.Errorf("task %q: validation report: want JSON", t.ID)
	}
	return nil
}

func checkID(what, id string) error {
	if id == "" || len(id) > MaxID || !utf8.ValidString(id) {
		return fmt.Errorf("%s %.40q: want 1 to %d bytes of UTF-8", what, id, MaxID)
	}
	return nil
}

// sum is the digest of a task as it came: without the toggle, which may change, and the time, which may be ours.
func sum(t Task) (string, error) {
	t.RequiresContext, t.CompletedAt = false, time.Time{}
	b, err := json.Marshal(t)
	if err != nil {
		return "", err
	}
	if len(b) > MaxTask {
		return "", fmt.Errorf("%d bytes of JSON, want at most %d", len(b), MaxTask)
	}
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:16]), nil
}

// show is the task as others see it.
func (t Task) show() Task {
	t.Intent, t.Summary = "", ""
	if t.RequiresContext {
		t.Intent, t.Summary = t.intent, t.summary
	}
	return t
}
