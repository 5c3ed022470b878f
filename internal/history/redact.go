package history

import (
	"encoding/json"
	"fmt"

	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/store"
)

// redacted is the task without the secrets in any of its strings, those that this version does not know included.
func (h *History) redacted(t Task) (Task, error) {
	if h.Redact == nil {
		return t, nil
	}
	whole, err := t.MarshalJSON()
	if err != nil {
		return t, err
	}
	clean := h.redactJSON(whole)
	if string(clean) == string(whole) {
		return t, nil
	}
	err = t.UnmarshalJSON(clean)
	t.Type = obs.Cut(t.Type, MaxID) // what stands for a secret may be longer
	return t, err
}

func (h *History) redact(text string) string {
	if h.Redact == nil {
		return text
	}
	clean, _ := h.Redact(text)
	return clean
}

// redactJSON is a JSON value without the secrets in its strings and names of fields.
func (h *History) redactJSON(value []byte) []byte {
	if h.Redact == nil {
		return value
	}
	return sandbox.MapJSON(value, h.redact)
}

// checkSecret refuses an id that is a secret: by what stood in its place the record would not be found again.
func (h *History) checkSecret(what, id string) error {
	if h.Redact == nil {
		return nil
	}
	if clean, rules := h.Redact(id); clean != id {
		return fmt.Errorf("%s %q: want an id that holds no secret (%v)", what, clean, rules)
	}
	return nil
}

// redactWrites takes the secrets out of all that is about to be stored.
func (h *History) redactWrites(writes []store.Write) {
	for i, w := range writes {
		if len(w.Data) > 0 && json.Valid(w.Data) {
			writes[i].Data = h.redactJSON(w.Data)
		}
	}
}
