package history

import (
	"encoding/json"
	"maps"
)

// redacted is the task without the secrets in what it says.
func (h *History) redacted(t Task) Task {
	if h.Redact == nil {
		return t
	}
	t.Intent, t.Summary = h.redact(t.Intent), h.redact(t.Summary)
	t.ValidationReport = h.redactRaw(t.ValidationReport)
	t.rest = maps.Clone(t.rest)
	for name, raw := range t.rest {
		t.rest[name] = h.redactRaw(raw)
	}
	return t
}

func (h *History) redact(text string) string {
	if h.Redact == nil {
		return text
	}
	clean, _ := h.Redact(text)
	return clean
}

// redactRaw keeps JSON what it is.
func (h *History) redactRaw(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return raw
	}
	clean := h.redact(string(raw))
	if clean == string(raw) {
		return raw
	}
	if !json.Valid([]byte(clean)) {
		clean = `"[redacted]"`
	}
	return json.RawMessage(clean)
}
