//go:build unix

package e2e

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	client "github.com/contextd/contextd/clients/go"
)

// complete records a task as any program would send it.
func (s *supervisor) complete(project, body string) client.Task {
	s.Helper()
	var done client.Task
	s.call("POST", "/v1/projects/"+project+"/tasks", json.RawMessage(body), &done)
	return done
}

func (s *supervisor) failedTask() {
	for id, report := range map[string]string{
		"f-1": `{"valid":false}`,
		"f-2": `{"errors":["no key"]}`,
		"f-3": `{"checks":[{"name":"lint","passed":false}]}`,
	} {
		if done := s.complete("reports", `{"task_id":"`+id+`","intent":"Sign it","validation_report":`+report+
			`}`); done.Success == nil || *done.Success {
			s.Errorf("%s is %+v", report, done)
		}
	}
	if done := s.complete("reports", `{"task_id":"f-4","intent":"Ship it"}`); done.Success != nil {
		s.Errorf("a task of which nothing is known is %+v", done)
	}
	c, err := s.api.Context(s.Context(), client.ContextRequest{Project: "reports", AgentKind: "knight", Task: work(),
		DeadlineMS: 10_000})
	s.ok(err)
	text := section(c, "Recent Task History")
	if strings.Count(text, "✗ failed") != 3 || strings.Contains(text, "✓") {
		s.Errorf("three failed, of one nothing is known:\n%s", text)
	}
}

func (s *supervisor) oldState() {
	const state = `{"version":1,"completed_tasks":["t-1",{"id":2,"completed_at":"2026-01-11T10:05Z","intent":"Cache it","validation_report":{"valid":false}}],"blocked_tasks":["t-3"]}`
	file := filepath.Join(s.Dir, "state.json")
	s.ok(os.WriteFile(file, []byte(state), 0o600))
	var said client.Imported
	s.command(&said, "history", "import", file, "--project", "archive")
	sent, err := s.api.ImportHistory(s.Context(), "old", json.RawMessage(state))
	s.ok(err)
	for who, r := range map[string]*client.Imported{"command": &said, "server": sent} {
		want := map[string]int{"requires_context": 2, "success": 2, "completed_at": 1}
		if r.Tasks != 2 || r.Blockers != 1 || r.Known+r.KnownBlockers != 0 || !maps.Equal(r.Filled, want) {
			s.Errorf("the %s reports %+v, want it to fill in %v", who, r, want)
		}
	}
	// what the command did is known to the server
	again, err := s.api.ImportHistory(s.Context(), "archive", json.RawMessage(state))
	if s.ok(err); again.Tasks+again.Blockers != 0 || again.Known != 2 || again.KnownBlockers != 1 ||
		len(again.Filled) > 0 {
		s.Errorf("again: %+v", again)
	}
	tasks, err := s.api.Tasks(s.Context(), "archive", 0)
	if s.ok(err); len(tasks) != 2 {
		s.Fatalf("%d tasks", len(tasks))
	}
	for _, x := range tasks {
		if x.ID == "2" && (x.Success == nil || *x.Success ||
			!x.CompletedAt.Equal(time.Date(2026, 1, 11, 10, 5, 0, 0, time.UTC))) || x.ID == "t-1" && x.Success != nil {
			s.Errorf("task %+v", x)
		}
	}
}

func (s *supervisor) summaries() {
	const said = "Lamps burn paraffin now."
	record := client.Task{ID: "task-030", Intent: "Light the lamps", Summary: said, Success: new(true)}
	shown := func(project string) bool {
		c, err := s.api.Context(s.Context(), client.ContextRequest{Project: project, AgentKind: "knight", Task: work(),
			DeadlineMS: 10_000})
		s.ok(err)
		text := section(c, "Recent Task History")
		s.holds(text, "Light the lamps")
		return strings.Contains(text, said)
	}
	for project, want := range map[string]bool{"archive": true, shop: false} { // a policy of archive says on
		_, err := s.api.CompleteTask(s.Context(), project, record, "", "")
		s.ok(err)
		if shown(project) != want {
			s.Errorf("%s: the summary stands there: %v", project, !want)
		}
	}
	for _, on := range []bool{true, false} {
		_, err := s.api.ShowTask(s.Context(), shop, record.ID, on)
		if s.ok(err); shown(shop) != on {
			s.Errorf("the toggle is %v, and the summary stands there: %v", on, !on)
		}
	}
	off := false
	c := s.compile("knight", func(r *client.ContextRequest) { r.Task.RequiresContext = &off })
	if names := strings.Join(sectionsOf(c), ", "); strings.Contains(names, "Memory") ||
		strings.Contains(names, "History") || strings.Contains(names, "Code") {
		s.Errorf("a task that wants none is given %s", names)
	}
}

func (s *supervisor) window() {
	s.past()
	c := s.compile("knight")
	s.holds(section(c, "Recent Task History"), "task-030", "task-039", "task-040", "task-041") // as they were recorded
	s.holds(section(s.compile("peasant"), "Active Blockers"), `task-043: "waits for the mail server"`)
}
