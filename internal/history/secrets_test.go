package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestNoStringOfATaskKeepsASecret: whichever field holds it, neither the store, nor the audit log, nor a prompt does.
func TestNoStringOfATaskKeepsASecret(t *testing.T) {
	t.Parallel()
	const body = "Q7wE4rT9yU2iO5pA8sD1fG3hJ6kL0zXcVbNm"
	secret := "ghp" + "_" + body
	for name, task := range map[string]string{
		"type":           `"task_type":"%s"`,
		"long type":      `"task_type":"` + strings.Repeat("é", 79) + ` %s"`,
		"intent":         `"intent":"use %s"`,
		"summary":        `"summary":"used %s"`,
		"changed file":   `"changed_files":["a.go","keys/%s.pem"]`,
		"report":         `"validation_report":{"log":["at %s"]}`,
		"name in report": `"validation_report":{"%s":1}`,
		"escaped report": `"validation_report":"{\"log\":\"\\u003e%s\"}"`,
		"coloured log":   `"validation_report":{"log":"\u001b[31m%s\u001b[0m"}`,
		"unknown field":  `"note":{"deep":[{"x":"%s"}]}`,
		"unknown key":    `"%s":true`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, dir := files(t)
			h := New(s, dir, start().now)
			text := `{"task_id":"a","requires_context":true,"success":true,` + fmt.Sprintf(task, secret) + `}`
			var done Task
			if err := json.Unmarshal([]byte(text), &done); err != nil {
				t.Fatal(err)
			}
			complete(t, h, done)
			complete(t, h, done) // the same again is known
			if _, err := h.Import(t.Context(), "web",
				State{Tasks: []Task{{ID: "b", Type: done.Type, rest: done.rest}}, rest: done.rest}); err != nil {
				t.Fatal(err)
			}
			log, err := os.ReadFile(h.auditPath("web"))
			if err != nil {
				t.Fatal(err)
			}
			docs, _, err := s.All(t.Context(), shelf("web"))
			if err != nil {
				t.Fatal(err)
			}
			all := string(log)
			for _, d := range docs {
				all += d.ID + string(d.Data)
			}
			state := load(t, New(s, dir, start().now))
			if len(state.Tasks) != 2 || len(state.Skipped) > 0 {
				t.Fatalf("%d tasks, skipped %q", len(state.Tasks), state.Skipped)
			}
			if strings.Contains(all+state.Render(), body) || !strings.Contains(all, "[redacted") {
				t.Errorf("kept: %s", all)
			}
			if got := state.OfType(done.Type); done.Type != "" && len(got.Tasks) != 2 && name == "type" {
				t.Errorf("%d tasks of the type as it was given", len(got.Tasks))
			}
		})
	}
}

func TestIDsThatHoldASecretAreRefusedAndNotSaid(t *testing.T) {
	t.Parallel()
	const body = "Q7wE4rT9yU2iO5pA8sD1fG3hJ6kL0zXcVbNm"
	id := "fix ghp" + "_" + body
	s, dir := files(t)
	h := New(s, dir, start().now)
	for name, try := range map[string]func() error{
		"complete": func() error { _, err := h.Complete(t.Context(), "web", Task{ID: id}); return err },
		"block":    func() error { _, err := h.Block(t.Context(), "web", Blocker{ID: id}); return err },
		"import task": func() error {
			_, err := h.Import(t.Context(), "web", State{Tasks: []Task{{ID: id}}})
			return err
		},
		"import blocker": func() error {
			_, err := h.Import(t.Context(), "web", State{Blockers: []Blocker{{ID: id}}})
			return err
		},
		"unblock": func() error { return h.Unblock(t.Context(), "web", id) },
		"toggle":  func() error { _, err := h.SetRequiresContext(t.Context(), "web", id, true); return err },
	} {
		if err := try(); err == nil || strings.Contains(err.Error(), body) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if docs, _, err := s.All(t.Context(), shelf("web")); err != nil || len(docs) > 0 {
		t.Errorf("%d documents, %v", len(docs), err)
	}
}

func TestTaskWhoseTimeIsOverIsNotRecorded(t *testing.T) {
	t.Parallel()
	s, dir := files(t)
	h := New(s, dir, start().now)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	long := strings.Repeat("SG"+".", 100<<10)
	if got, _, err := h.capture(ctx, Task{ID: "a", Intent: long}); !errors.Is(err, context.Canceled) {
		t.Errorf("capture: intent of %d bytes, %v", len(got.Intent), err)
	}
	if reason, err := h.reason(ctx, long); !errors.Is(err, context.Canceled) || reason != "" {
		t.Errorf("reason: %d bytes, %v", len(reason), err)
	}
	if err := h.audit(ctx, "web", []Event{{Event: "blocked", Blocker: &Blocker{ID: "a", Reason: long}}}); !errors.Is(
		err, context.Canceled) {
		t.Errorf("audit: %v", err)
	}
}
