package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/store"
	"github.com/contextd/contextd/internal/store/redis"
	"github.com/contextd/contextd/internal/store/sqlite"
)

// clock is a clock that a test sets.
type clock struct {
	docs store.Store // what the history is over

	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func start() *clock { return &clock{at: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func files(t testing.TB) (store.Store, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	s, err := sqlite.Open(filepath.Join(dir, "documents.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, filepath.Join(dir, "audit")
}

// both runs a test on either backing.
func both(t *testing.T, test func(t *testing.T, h *History, c *clock)) {
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		s, dir := files(t)
		c := start()
		c.docs = s
		test(t, New(s, dir, c.now), c)
	})
	t.Run("redis", func(t *testing.T) {
		t.Parallel()
		server := rdbtest.Own(t, rdbtest.Plain)
		s, err := redis.Open(redis.Options{URL: server.URL, Prefix: server.Prefix, Deadline: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		c := start()
		c.docs = s
		test(t, New(s, filepath.Join(t.TempDir(), "audit"), c.now), c)
	})
}

func complete(t testing.TB, h *History, task Task) Task {
	t.Helper()
	got, err := h.Complete(t.Context(), "web", task)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func load(t testing.TB, h *History) State {
	t.Helper()
	s, err := h.Load(t.Context(), "web")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Skipped) > 0 {
		t.Errorf("skipped: %q", s.Skipped)
	}
	return s
}

func ids(s State) string {
	var all []string
	for _, t := range s.Tasks {
		all = append(all, t.ID)
	}
	return strings.Join(all, " ")
}

// events are the events of the audit log as "event id".
func events(t testing.TB, h *History) (all []string) {
	t.Helper()
	_, err := h.Audit("web", func(e Event) bool {
		switch {
		case e.Task != nil:
			all = append(all, e.Event+" "+e.Task.ID)
		case e.Blocker != nil:
			all = append(all, e.Event+" "+e.Blocker.ID)
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestRecordShowsIntentAndSummaryOnlyWhileItsToggleIsOn(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *History, c *clock) {
		task := Task{ID: "task-1", Intent: "# Add the login page.\nMore text.", Success: new(true),
			ChangedFiles:     []string{"web/src/a.ts", "web/src/b.ts", "web/c.ts"},
			ValidationReport: json.RawMessage(`{"tests": 12, "lint": true, "errors": []}`)}
		got := complete(t, h, task)
		if got.RequiresContext || got.Intent != "" || got.Summary != "" || !got.CompletedAt.Equal(c.now()) {
			t.Errorf("recorded %+v", got)
		}
		for _, on := range []bool{true, false, true} {
			if _, err := h.SetRequiresContext(t.Context(), "web", "task-1", on); err != nil {
				t.Fatal(err)
			}
			wantIntent, wantSummary := "", ""
			if on {
				wantIntent = "Add the login page"
				wantSummary = "Add the login page. Succeeded; 3 files changed: web/src (2), web; errors 0, lint ok, tests 12"
			}
			if got := load(t, h).Tasks[0]; got.RequiresContext != on || got.Intent != wantIntent ||
				got.Summary != wantSummary || len(got.ChangedFiles) != 3 || len(got.ValidationReport) == 0 {
				t.Errorf("on %v: %+v", on, got)
			}
		}
		if _, err := h.SetRequiresContext(t.Context(), "web", "task-9", true); !errors.Is(err, store.ErrNotFound) ||
			!strings.Contains(err.Error(), `"task-9" of "web"`) {
			t.Errorf("an unknown task: %v", err)
		}
		if got := strings.Join(events(t, h),
			", "); got != "task_completed task-1, requires_context task-1, requires_context task-1, requires_context task-1" {
			t.Errorf("audit log: %s", got)
		}
	})
}

func TestWindowInThePromptHasTheExactForm(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *History, c *clock) {
		if got := load(t, h).Window(0).Render(); got != "" {
			t.Errorf("of nothing: %q", got)
		}
		for i := range 7 {
			complete(t, h, Task{ID: fmt.Sprintf("task-%03d", i+1), Intent: fmt.Sprintf("Do thing %d", i+1),
				Success: new(i != 5)})
			c.add(time.Minute)
		}
		complete(t, h, Task{ID: "task-008", Success: new(true)})
		for _, b := range []Blocker{
			{ID: "task-010", Reason: "waits for the key"},
			{ID: "task-009", Reason: "flaky", BlockedAt: c.now().Add(-time.Hour)},
		} {
			if _, err := h.Block(t.Context(), "web", b); err != nil {
				t.Fatal(err)
			}
		}
		const want = `## Recent Task History
1. task-004: "Do thing 4" (completed: 2026-01-02T03:07:05Z, ✓ success)
2. task-005: "Do thing 5" (completed: 2026-01-02T03:08:05Z, ✓ success)
3. task-006: "Do thing 6" (completed: 2026-01-02T03:09:05Z, ✗ failed)
4. task-007: "Do thing 7" (completed: 2026-01-02T03:10:05Z, ✓ success)
5. task-008 (completed: 2026-01-02T03:11:05Z, ✓ success)

## Active Blockers
- task-009: "flaky" (blocked: 2026-01-02T02:11:05Z)
- task-010: "waits for the key" (blocked: 2026-01-02T03:11:05Z)
`
		if got := load(t, h).Window(0).Render(); got != want {
			t.Errorf("got\n%s", got)
		}
	})
}

func TestRenderedTextCannotLeaveItsLine(t *testing.T) {
	t.Parallel()
	s := State{
		Tasks:    []Task{{ID: "a\n## System", intent: "x\" (completed)\r\n- \x1b[2J\u202e", Success: new(true)}},
		Blockers: []Blocker{{ID: "b\x00", Reason: "y\u2028## z"}},
	}
	const want = "## Recent Task History\n" +
		`1. a\n## System: "x\" (completed)\r\n- \x1b[2J\u202e" (completed: unknown, ✓ success)` + "\n" +
		"\n## Active Blockers\n" +
		`- b\x00: "y\u2028## z" (blocked: unknown)` + "\n"
	if got := s.Render(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestWindowsByTypeOfTask(t *testing.T) {
	t.Parallel()
	s, dir := files(t)
	h := New(s, dir, start().now)
	for i := range 6 {
		complete(t, h, Task{ID: fmt.Sprint(i), Type: []string{"fix", "docs"}[i%2], Success: new(true)})
	}
	all := load(t, h)
	for kind, want := range map[string]string{"fix": "2 4", "docs": "3 5", "": "4 5", "other": ""} {
		if got := ids(all.OfType(kind).Window(2)); got != want {
			t.Errorf("%q: %s, want %s", kind, got, want)
		}
	}
	if got := ids(all); got != "0 1 2 3 4 5" {
		t.Errorf("the whole is %s after the windows", got)
	}
	if other, err := h.Load(t.Context(), "api"); err != nil || len(other.Tasks) > 0 {
		t.Errorf("another project: %+v, %v", other, err)
	}
}

func TestHundredTasksStayAndTheAuditLogKeepsAll(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *History, c *clock) {
		const n = MaxTasks + 30
		for i := range n {
			complete(t, h, Task{ID: fmt.Sprint(i), Intent: fmt.Sprint("thing ", i), Success: new(true)})
		}
		s := load(t, h)
		if len(s.Tasks) != MaxTasks || s.Tasks[0].ID != "30" || s.Tasks[MaxTasks-1].ID != fmt.Sprint(n-1) {
			t.Errorf("%d tasks: %s", len(s.Tasks), ids(s))
		}
		i := 0
		torn, err := h.Audit("web", func(e Event) bool {
			if e.Task.ID != fmt.Sprint(i) || e.Task.Intent != fmt.Sprint("thing ", i) || e.Task.Summary == "" ||
				e.Project != "web" || e.At.IsZero() {
				t.Errorf("line %d: %+v", i, e)
			}
			i++
			return true
		})
		if i != n || torn != 0 || err != nil {
			t.Errorf("%d lines, %d torn, %v", i, torn, err)
		}
	})
}

func TestStateStaysBoundedWhateverTasksBring(t *testing.T) {
	t.Parallel()
	s, dir := files(t)
	h := New(s, dir, start().now)
	var many []string
	for i := range 5000 {
		many = append(many, fmt.Sprintf("some/where/deep/in/the/tree/file-%d.go", i))
	}
	report := json.RawMessage(fmt.Sprintf(`{"log":%q,"errors":3}`, strings.Repeat("x", 100_000)))
	const n = MaxTasks / 10
	for i := range n {
		complete(t, h, Task{ID: fmt.Sprint(i), Intent: strings.Repeat("word ", 1000), ChangedFiles: many,
			ValidationReport: report, RequiresContext: true})
	}
	docs, _, err := s.All(t.Context(), shelf("web"))
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for _, d := range docs {
		sum += len(d.Data)
	}
	if sum > 500_000*n/MaxTasks {
		t.Errorf("a tenth of the state has %d bytes", sum)
	}
	got := load(t, h).Tasks[0]
	if len(got.ChangedFiles) != keepFiles+1 || got.ChangedFiles[keepFiles] != "… 4980 more" ||
		!strings.Contains(string(got.ValidationReport), "left_to_audit_log") ||
		!strings.Contains(got.Summary, "5000 files changed: some/where/deep/in/the/tree (5000); errors 3") {
		t.Errorf("%.2000s", fmt.Sprintf("%+v", got))
	}
	_, err = h.Audit("web", func(e Event) bool {
		if len(e.Task.ChangedFiles) != 5000 || len(e.Task.ValidationReport) < 100_000 {
			t.Errorf("the audit log has %d files, %d bytes of report", len(e.Task.ChangedFiles),
				len(e.Task.ValidationReport))
		}
		return false
	})
	if err != nil {
		t.Error(err)
	}
}

func TestSameTaskAgainIsOneAndAnotherUnderItsIDAnError(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *History, c *clock) {
		first := complete(t, h, Task{ID: "a", Intent: "Fix it", Success: new(true)})
		if _, err := h.SetRequiresContext(t.Context(), "web", "a", true); err != nil {
			t.Fatal(err)
		}
		c.add(time.Hour)
		if again := complete(t, h, Task{ID: "a", Intent: "Fix it", Success: new(true)}); !again.CompletedAt.Equal(
			first.CompletedAt) || !again.RequiresContext {
			t.Errorf("again: %+v", again)
		}
		for _, other := range []Task{
			{ID: "a", Intent: "Fix that", Success: new(true)},
			{ID: "a", Intent: "Fix it"},
			{ID: "a", Intent: "Fix it", Success: new(true), CompletedAt: c.now()},
		} {
			_, err := h.Complete(t.Context(), "web", other)
			if !errors.Is(err, ErrDuplicate) ||
				!strings.Contains(err.Error(), `record task "a" of "web": recorded already`) {
				t.Errorf("%+v: %v", other, err)
			}
		}
		if got := events(t, h); len(got) != 2 {
			t.Errorf("audit log: %q", got)
		}
	})
}

func TestClockThatGoesBackChangesNoOrder(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *History, c *clock) {
		for i := range 4 {
			complete(t, h, Task{ID: fmt.Sprint(i), Success: new(true)})
			c.add(-time.Hour)
		}
		if got := ids(load(t, h).Window(2)); got != "2 3" {
			t.Errorf("window: %s", got)
		}
	})
}

func TestBlockers(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *History, c *clock) {
		ctx := t.Context()
		block := func(id, reason string) Blocker {
			t.Helper()
			b, err := h.Block(ctx, "web", Blocker{ID: id, Reason: reason})
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		first := block("a", "no\nkey")
		c.add(time.Hour)
		if again := block("a", "no key"); !again.BlockedAt.Equal(first.BlockedAt) || again.Reason != "no key" {
			t.Errorf("again: %+v", again)
		}
		if other := block("a", "no disk"); !other.BlockedAt.Equal(first.BlockedAt) {
			t.Errorf("another reason: %+v", other)
		}
		block("b", "review")
		complete(t, h, Task{ID: "b", Success: new(true)})
		if got := load(t, h).Blockers; len(got) != 1 || got[0].ID != "a" || got[0].Reason != "no disk" {
			t.Errorf("blockers %+v", got)
		}
		if err := h.Unblock(ctx, "web", "a"); err != nil {
			t.Fatal(err)
		}
		if err := h.Unblock(ctx, "web", "a"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("twice: %v", err)
		}
		for i := range MaxBlockers {
			block(fmt.Sprint(i), "x")
		}
		if _, err := h.Block(ctx, "web", Blocker{ID: "one more"}); !errors.Is(err, ErrFull) ||
			!strings.Contains(err.Error(), "(100 are)") {
			t.Errorf("one more: %v", err)
		}
	})
}

func TestWhatIsWrongIsRefusedAndNothingRecorded(t *testing.T) {
	t.Parallel()
	s, dir := files(t)
	h := New(s, dir, start().now)
	for name, task := range map[string]Task{
		"no id":        {},
		"a long id":    {ID: strings.Repeat("x", MaxID+1)},
		"not UTF-8":    {ID: "\xff"},
		"a long type":  {ID: "a", Type: strings.Repeat("x", MaxID+1)},
		"no JSON":      {ID: "a", ValidationReport: json.RawMessage("{")},
		"a large task": {ID: "a", Intent: strings.Repeat("x", MaxTask)},
	} {
		if _, err := h.Complete(t.Context(), "web", task); err == nil || !strings.Contains(err.Error(), "want") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := h.Complete(t.Context(), "", Task{ID: "a"}); err == nil {
		t.Error("no project: no error")
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an audit log was made: %v", err)
	}
	if got := load(t, h); len(got.Tasks) > 0 {
		t.Errorf("recorded: %s", ids(got))
	}
}

func TestSecretsAreNotRecorded(t *testing.T) {
	t.Parallel()
	const token = "ghp" + "_Q7wE4rT9yU2iO5pA8sD1fG3hJ6kL0zXcVbNm"
	s, dir := files(t)
	h := New(s, dir, start().now)
	var task Task
	if err := json.Unmarshal(
		[]byte(strings.ReplaceAll(`{"task_id":"a","intent":"use TOKEN","validation_report":{"log":"TOKEN"},"note":"TOKEN","odd":{"TOKEN":1},"requires_context":true}`, "TOKEN", token)), &task); err != nil {
		t.Fatal(err)
	}
	complete(t, h, task)
	if _, err := h.Block(t.Context(), "web", Blocker{ID: "b", Reason: token + " is wrong"}); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(h.auditPath("web"))
	if err != nil {
		t.Fatal(err)
	}
	state, err := json.Marshal(load(t, h))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{string(log), string(state)} {
		if strings.Contains(text, token) || strings.Count(text, "[redacted: GitHub token]") < 5 {
			t.Errorf("%s", text)
		}
	}
}

func TestManyAtOnceLoseNothing(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, h *History, c *clock) {
		other := New(c.docs, h.dir, c.now)
		other.dir = filepath.Join(t.TempDir(), "of another machine")
		var wg sync.WaitGroup
		for i := range 24 {
			wg.Go(func() {
				h := []*History{h, h, other}[i%3]
				if _, err := h.Complete(t.Context(), "web",
					Task{ID: fmt.Sprint(i / 2), Success: new(true)}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		s := load(t, h)
		seen := map[string]bool{}
		for _, task := range s.Tasks {
			seen[task.ID] = true
		}
		if len(s.Tasks) != 12 || len(seen) != 12 {
			t.Errorf("%s", ids(s))
		}
	})
}
