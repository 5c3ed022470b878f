package history

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
)

// maxRecord is the size of a task in the store, in bytes, over which parts of it are left to the audit log: with 100 of
// them the state of a project stays near 500 KB.
const maxRecord = 5000

const keepFiles = 20

// record is a task as the store has it: {"seq", "intent", "summary", "digest", "task": {…}}, with the unknown fields of
// both objects.
func (t Task) record() ([]byte, error) {
	t.Intent, t.Summary = "", "" // they stand outside
	b, err := t.encode()
	if err == nil && len(b) > maxRecord && len(t.ValidationReport) > 0 {
		t.ValidationReport = fmt.Appendf(nil, `{"left_to_audit_log":true,"bytes":%d}`, len(t.ValidationReport))
		b, err = t.encode()
	}
	if err == nil && len(b) > maxRecord && len(t.rest) > 0 {
		t.rest = fields{"left_to_audit_log": json.RawMessage("true")}
		b, err = t.encode()
	}
	if err == nil && len(b) > maxRecord && len(t.ChangedFiles) > keepFiles {
		t.ChangedFiles = append(t.ChangedFiles[:keepFiles:keepFiles],
			fmt.Sprintf("… %d more", len(t.ChangedFiles)-keepFiles))
		b, err = t.encode()
	}
	if err == nil && len(b) > maxRecord && len(t.ChangedFiles) > 0 {
		t.ChangedFiles = nil // names beyond reason
		b, err = t.encode()
	}
	return b, err
}

func (t Task) encode() ([]byte, error) {
	return join(struct {
		Seq     int64  `json:"seq"`
		Intent  string `json:"intent"`
		Summary string `json:"summary"`
		Digest  string `json:"digest"`
		Task    Task   `json:"task"`
	}{t.seq, t.intent, t.summary, t.digest, t}, t.outer)
}

// decode is the reverse of record.
func decode(data []byte) (t Task, err error) {
	f, ok := parseJSON[fields](data)
	if !ok || f == nil {
		return t, errors.New("want a JSON object")
	}
	if err := take(f, &t, "an object", parseJSON[Task], "task"); err != nil {
		return t, err
	}
	if err := cmp.Or(
		take(f, &t.seq, "a number", parseJSON[int64], "seq"),
		take(f, &t.intent, "text", parseJSON[string], "intent"),
		take(f, &t.summary, "text", parseJSON[string], "summary"),
		take(f, &t.digest, "text", parseJSON[string], "digest"),
	); err != nil {
		return t, err
	}
	t.outer = f
	return t.show(), t.check()
}
