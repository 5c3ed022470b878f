package wire

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/queue"
)

// The name of a field of an embedded struct is that which was sent.
func TestFieldNamesAreThoseThatWereSent(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"content":5}`: "content",
		`{"citations":[{"path":"a.go","span":{"start":"x"}}]}`: "citations.span.start",
		`{"project":5}`: "project",
		`5`:             "",
	} {
		var kind *json.UnmarshalTypeError
		if err := json.Unmarshal([]byte(body), &client.SaveRequest{}); !errors.As(err, &kind) ||
			FieldName(kind.Field) != want {
			t.Errorf("%s: %v, named %q, want %q", body, err, FieldName(kind.Field), want)
		}
	}
}

// What is empty is a list, a time that is none is "".
func TestNothingIsWrittenOut(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]any{
		`{"dead":[]}`: DeadLetters(nil),
		`{"dead":[{"id":"1","project":"","root":"","reason":"r","attempts":6,"at":"","paths":[]}]}`: DeadLetters(
			[]queue.Letter{{ID: "1", Reason: "r", Attempts: 6}}),
		`{"depth":3,"delayed":2,"inflight":1,"dead":0,"oldest_age_ms":1500}`: QueueCounts(queue.Stats{Depth: 3,
			Delayed: 2, Inflight: 1, Oldest: 1500 * time.Millisecond}),
	} {
		if got, err := json.Marshal(v); err != nil || string(got) != want {
			t.Errorf("%s (%v), want %s", got, err, want)
		}
	}
}
