package history

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestOutcomeComesFromTheValidationReport(t *testing.T) {
	t.Parallel()
	for want, reports := range map[Outcome][]string{
		Failed: {
			`{"valid": false}`, `{"is_valid": false}`, `{"valid": true, "errors": ["x is missing"]}`, `{"errors": 2}`,
			`{"errors": "boom"}`, `{"error": {"code": 7, "message": "x"}}`,
			`{"failed_checks": ["lint"]}`,
			`{"checks": [{"name": "lint", "passed": true}, {"name": "tests", "passed": false}]}`,
			`{"checks": {"lint": true, "tests": false}}`,
			`{"checks": {"lint": "passed", "tests": "failed"}}`, `{"validation": {"result": {"valid": false}}}`,
			`{"stages": [{"unit": {"errors": 1}}]}`, `{"tests": {"passed": 12, "failed": 1}}`,
			`{"status": "failed"}`, `{"exit_code": 1}`, `false`, `"failed"`, `[{"ok": true}, {"ok": false}]`,
			`"{\"valid\": false}"`, `{"passed": false, "optional": false}`, `{"type_errors": 3}`,
			`{"tests_passed": false}`, `{"timed_out": true}`, `{"lint": false}`,
		},
		Succeeded: {
			`{"valid": true}`, `{"valid": true, "errors": []}`, `{"errors": 0, "tests": 12}`,
			`{"checks": [{"name": "lint", "passed": true}]}`, `{"checks": {"lint": "ok"}}`, `{"status": "passed"}`,
			`{"exit_code": 0}`, `{"tests": {"passed": 12, "failed": 0}}`, `true`,
			`{"passed": true, "warnings": ["slow"]}`, `{"valid": true, "errors": null}`,
			`{"report": {"success": true}}`,
			`{"valid": true, "checks": [{"name": "style", "passed": false, "required": false}]}`,
			`{"valid": true, "errors": [{"severity": "warning"}]}`, `{"valid": true, "config": {"errors": 9}}`,
		},
		Unknown: {``, `null`, `{}`, `[]`, `{"tests": 12}`, `{"dry_run": false}`, `"see the log"`,
			`{"status": "skipped"}`, `{"duration": 3.5}`, `{"message": "failed"}`, `{`,
			`{"expected": {"valid": false}}`,
			strings.Repeat(`[`, 9000) + strings.Repeat(`]`, 9000)},
	} {
		for _, report := range reports {
			if got := OutcomeOf(json.RawMessage(report)); got != want {
				t.Errorf("%.80s: outcome %d, want %d", report, got, want)
			}
		}
	}
}

func TestLineShowsTheOutcomeOrThatItIsUnknown(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *History, _ *clock) {
		for _, c := range []struct{ id, body, mark, summary string }{
			{"a", `{"task_id": "a", "validation_report": {"valid": false}}`, "✗ failed)", "Failed"},
			{"b", `{"task_id": "b", "validation_report": {"valid": true}}`, "✓ success)", "Succeeded"},
			{"c", `{"task_id": "c"}`, ", outcome unknown)", ""},
			{"d", `{"task_id": "d", "success": true, "validation_report": {"valid": false}}`, "✓ success)",
				"Succeeded"},
			{"e", `{"task_id": "e", "success": null, "validation_report": {"errors": ["x"]}}`, "✗ failed)", "Failed"},
		} {
			var task Task
			if err := json.Unmarshal([]byte(c.body), &task); err != nil {
				t.Fatal(err)
			}
			complete(t, h, task)
			tasks := load(t, h).Tasks // as stored, read again
			got := tasks[len(tasks)-1]
			if line := got.Line(); !strings.HasSuffix(line, c.mark) || !strings.HasPrefix(got.summary, c.summary) ||
				c.summary == "" && got.summary != "" {
				t.Errorf("%s: %s, summary %q", c.body, line, got.summary)
			}
			out, err := json.Marshal(got)
			if err != nil || strings.Contains(string(out), `"success"`) != (c.id != "c") {
				t.Errorf("%s is written as %s (%v)", c.body, out, err)
			}
		}
	})
}

func FuzzOutcomeOf(f *testing.F) {
	for _, s := range []string{
		`{"valid": false}`, `{"checks": [{"ok": 1}]}`, `"{\"a\": \"[1\"}"`, `{"errors": {"a": [null]}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, report []byte) {
		if o := OutcomeOf(report); o != OutcomeOf(report) {
			t.Errorf("%q has two outcomes", report)
		}
	})
}
