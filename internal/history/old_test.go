package history

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/store"
)

const oldState = `{
  "version": 1, "orchestrator": {"mode": "careful"},
  "completed_tasks": [
    "task-001",
    {"task_id": "task-002", "completed_at": "2025-11-14T10:30:00", "retries": 2},
    {"id": 3, "completed_at": 1763116200, "requires_context": null, "intent": null},
    {"task_id": "task-004", "completed_at": "2025-11-14T10:30:00.5+02:00", "requires_context": true, "intent": "Cache it", "summary": "Cached.", "success": false, "x\ny": ["z"]}
  ],
  "blocked_tasks": ["task-005", {"task_id": "task-006", "reason": "no key", "blocked_at": "2025-11-14", "by": "ops"}]
}`

func TestOldStatesLoadAndKeepWhatIsUnknown(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *History, c *clock) {
		var old State
		if err := json.Unmarshal([]byte(oldState), &old); err != nil {
			t.Fatal(err)
		}
		for _, want := range []int{4, 0} {
			if r, err := h.Import(t.Context(), "web", old); r.Tasks != want || r.Known != 4-want ||
				r.Blockers != want/2 || err != nil {
				t.Fatalf("%+v, %v; want %d new tasks", r, err, want)
			} else if want > 0 && (r.Filled["requires_context"] != 3 || r.Filled["success"] != 3 ||
				r.Filled["completed_at"] != 1) {
				t.Errorf("filled in %v", r.Filled)
			}
		}
		if _, err := h.SetRequiresContext(t.Context(), "web", "task-002", true); err != nil { // a rewrite
			t.Fatal(err)
		}
		b, err := json.MarshalIndent(load(t, h), "", " ")
		if err != nil {
			t.Fatal(err)
		}
		const want = `{
 "completed_tasks": [
  {
   "task_id": "task-001",
   "requires_context": false
  },
  {
   "task_id": "task-002",
   "completed_at": "2025-11-14T10:30:00Z",
   "requires_context": true,
   "retries": 2
  },
  {
   "task_id": "3",
   "completed_at": "2025-11-14T10:30:00Z",
   "requires_context": false
  },
  {
   "task_id": "task-004",
   "completed_at": "2025-11-14T08:30:00.5Z",
   "requires_context": true,
   "intent": "Cache it",
   "summary": "Cached.",
   "success": false,
   "x\ny": [
    "z"
   ]
  }
 ],
 "blocked_tasks": [
  {
   "id": "task-005",
   "reason": ""
  },
  {
   "id": "task-006",
   "reason": "no key",
   "blocked_at": "2025-11-14T00:00:00Z",
   "by": "ops"
  }
 ],
 "orchestrator": {
  "mode": "careful"
 },
 "version": 1
}`
		if string(b) != want {
			t.Errorf("got\n%s", b)
		}
		if got := len(events(t, h)); got != 7 {
			t.Errorf("%d lines in the audit log, want 7", got)
		}
	})
}

func TestImportKeepsTheNewestHundredAndAllInTheAuditLog(t *testing.T) {
	t.Parallel()
	s, dir := files(t)
	h := New(s, dir, start().now)
	complete(t, h, Task{ID: "first", Success: new(true)})
	var old State
	for i := range MaxTasks + 20 {
		old.Tasks = append(old.Tasks, Task{ID: time.Unix(int64(i), 0).UTC().Format(time.TimeOnly), Success: new(true)})
	}
	if r, err := h.Import(t.Context(), "web", old); r.Tasks != MaxTasks+20 || err != nil {
		t.Fatal(r, err)
	}
	got := load(t, h)
	if len(got.Tasks) != MaxTasks || got.Tasks[0].ID != old.Tasks[20].ID ||
		got.Tasks[MaxTasks-1].ID != old.Tasks[MaxTasks+19].ID {
		t.Errorf("%d: %s", len(got.Tasks), ids(got))
	}
	if n := len(events(t, h)); n != MaxTasks+21 {
		t.Errorf("%d lines in the audit log", n)
	}
}

func TestBrokenStatesAreErrorsThatNameThePlace(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`[]`:                        `state "[]": want a JSON object`,
		`null`:                      `want a JSON object`,
		`{"completed_tasks": {}}`:   `field "completed_tasks" is {}: want a list`,
		`{"completed_tasks": [[]]}`: `completed task 1: task "[]": want an object or an id`,
		`{"completed_tasks": ["a", {"task_id":"b","completed_at":"noon"}]}`: `completed task 2: task "b": field "completed_at" is "noon": want an ISO 8601 time`,
		`{"completed_tasks": [{"task_id":"b","requires_context":"yes"}]}`:   `field "requires_context" is "yes": want true or false`,
		`{"blocked_tasks": [{"id":"b","reason":{}}]}`:                       `blocked task 1: blocker "b": field "reason" is {}: want text`,
	} {
		var s State
		if err := json.Unmarshal([]byte(text), &s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestDocumentOfNobodyKnowsWhatIsSkippedAndSaid(t *testing.T) {
	t.Parallel()
	s, dir := files(t)
	h := New(s, dir, start().now)
	complete(t, h, Task{ID: "a", Success: new(true)})
	_, err := s.Apply(t.Context(), shelf("web"), store.Write{ID: "task:b", Data: []byte("{")},
		store.Write{ID: "blocker:c", Data: []byte(`{"reason":1}`)},
		store.Write{ID: "of a newer version", Data: []byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	got, err := h.Load(t.Context(), "web")
	if err != nil || ids(got) != "a" || len(got.Skipped) != 2 || !strings.Contains(got.Skipped[1], `"task:b"`) {
		t.Errorf("%+v, %v", got, err)
	}
	complete(t, h, Task{ID: "b", Success: new(true)}) // and takes its place
	if got := load2(t, h); ids(got) != "a b" {
		t.Errorf("%+v", got)
	}
}

func load2(t *testing.T, h *History) State {
	t.Helper()
	s, err := h.Load(t.Context(), "web")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTornLineIsHealed(t *testing.T) {
	t.Parallel()
	s, dir := files(t)
	h := New(s, dir, start().now)
	complete(t, h, Task{ID: "a", Success: new(true)})
	path := h.auditPath("web")
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"at":"2026-01-02T`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	complete(t, h, Task{ID: "b", Success: new(true)})
	complete(t, h, Task{ID: "c", Success: new(true)})
	var got []string
	torn, err := h.Audit("web", func(e Event) bool { got = append(got, e.Task.ID); return true })
	if strings.Join(got, " ") != "a b c" || torn != 1 || err != nil {
		t.Errorf("%q, %d torn, %v", got, torn, err)
	}
}

func TestCrashBetweenLogAndStoreLosesNothing(t *testing.T) {
	t.Parallel()
	s, dir := files(t)
	h := New(s, dir, start().now)
	task := Task{ID: "a", Intent: "Do it", Success: new(true)}
	whole, event, err := h.capture(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := h.lock(t.Context(), "web")
	if err != nil {
		t.Fatal(err)
	}
	if err := h.audit(t.Context(), "web", []Event{event}); err != nil { // and here it ends
		t.Fatal(err)
	}
	unlock()
	if got := load(t, h); len(got.Tasks) > 0 {
		t.Errorf("%s", ids(got))
	}
	complete(t, h, task)
	complete(t, h, task)
	if got := load(t, h); ids(got) != "a" || got.Tasks[0].digest != event.Digest || whole.intent != "Do it" {
		t.Errorf("%+v", got)
	}
	if got := events(t, h); len(got) != 1 {
		t.Errorf("audit log: %q", got)
	}
}

func TestAuditLogIsPrivateAndOneAProject(t *testing.T) {
	t.Parallel()
	s, dir := files(t)
	h := New(s, dir, start().now)
	seen := map[string]bool{}
	for _, project := range []string{"web", "Web", "w/e:b", "../web", "con", strings.Repeat("x", 200), "ж", "web\n"} {
		if _, err := h.Complete(t.Context(), project, Task{ID: "a", Success: new(true)}); err != nil {
			t.Fatal(err)
		}
		path := h.auditPath(project)
		if name := filepath.Base(path); filepath.Dir(path) != dir || seen[strings.ToLower(name)] ||
			strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-._") != "" {
			t.Errorf("%q lies in %q", project, path)
		}
		seen[strings.ToLower(filepath.Base(path))] = true
		info, err := os.Stat(path)
		if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%q: %v, %v", project, info.Mode(), err)
		}
	}
}

func TestNoRoomForTheAuditLogIsAnErrorAndNothingIsRecorded(t *testing.T) {
	t.Parallel()
	s, dir := files(t)
	h := New(s, dir, start().now)
	if err := os.MkdirAll(h.auditPath("web"), 0o700); err != nil { // a folder stands in its place
		t.Fatal(err)
	}
	if _, err := h.Complete(t.Context(), "web", Task{ID: "a", Success: new(true)}); err == nil ||
		!strings.Contains(err.Error(), "audit log") {
		t.Errorf("%v", err)
	}
	if got := load(t, h); len(got.Tasks) > 0 {
		t.Errorf("%s", ids(got))
	}
}
