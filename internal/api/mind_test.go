package api

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/memory"
)

func TestTasksAndBlockers(t *testing.T) {
	t.Parallel()
	onBoth(t, tasksAndBlockers)
}

func tasksAndBlockers(t *testing.T, w *world) {
	c := w.listen("?types=task_completed")
	const tasks, blockers = "/v1/projects/web/tasks", "/v1/projects/web/blockers"
	var b history.Blocker
	w.get(&b, "POST", blockers, `{"id":"t-2","reason":"waits for the key","since":"monday"}`)
	if b.BlockedAt.IsZero() {
		t.Errorf("blocker %+v", b)
	}
	var one history.Task
	w.get(&one, "POST", tasks,
		`{"task_id":"t-1","intent":"Add the login page. And more.","requires_context":true,"changed_files":["a.go"],"team":"red","validation_report":{"valid":true}}`)
	if one.Intent != "Add the login page." && one.Intent != "Add the login page" ||
		one.Outcome() != history.Succeeded || one.Summary == "" {
		t.Errorf("task %+v", one)
	}
	if e := w.next(c); e.Type != eventTask || e.Project != "web" || dataOf(e)["team"] != "red" {
		t.Errorf("event %+v", e)
	}
	w.get(&one, "POST", tasks, `{"task_id":"t-2","intent":"Fix the build","success":false}`)
	var list struct{ Tasks []history.Task }
	if w.get(&list, "GET", tasks, ""); len(list.Tasks) != 2 || list.Tasks[0].ID != "t-2" ||
		list.Tasks[0].Intent != "" || list.Tasks[1].Intent == "" {
		t.Errorf("tasks %+v", list)
	}
	if w.get(&list, "GET", tasks+"?limit=1", ""); len(list.Tasks) != 1 {
		t.Errorf("one task %+v", list)
	}
	if w.get(&one, "PATCH", tasks+"/t-2", `{"requires_context":true}`); !one.RequiresContext || one.Intent == "" {
		t.Errorf("toggled %+v", one)
	}
	var blocked struct{ Blockers []history.Blocker }
	if w.get(&blocked, "GET", blockers, ""); len(blocked.Blockers) != 0 {
		t.Errorf("a completed task is still blocked: %+v", blocked)
	}
	w.get(&b, "POST", blockers, `{"id":"t-3"}`)
	if a := w.do("DELETE", blockers+"/t-3", ""); a.code != 204 {
		t.Errorf("unblock: %d %s", a.code, a.body)
	}
	w.refused(notFound, "DELETE", blockers+"/t-3", "")
	w.refused(notFound, "PATCH", tasks+"/none", `{"requires_context":true}`)
	w.refused(invalidRequest, "PATCH", tasks+"/t-1", `{}`)
	w.refused(conflict, "POST", tasks, `{"task_id":"t-1","intent":"Another thing"}`)
	w.refused(invalidRequest, "POST", tasks, `{"intent":"no id"}`)
	w.refused(invalidRequest, "POST", tasks, `{"task_id":"t-9","success":"yes"}`)
	w.refused(invalidRequest, "POST", blockers, `{"id":"`+strings.Repeat("x", 201)+`"}`)
	w.refused(invalidRequest, "POST", blockers, `{"id":"x","blocked_at":"whenever"}`)
	w.refused(invalidRequest, "GET", tasks+"?limit=0", "")
	for i := range history.MaxBlockers {
		w.get(&b, "POST", blockers, fmt.Sprintf(`{"id":"b-%d"}`, i))
	}
	w.refused(conflict, "POST", blockers, `{"id":"one-more"}`)
	w.get(&b, "POST", blockers, `{"id":"b-7","reason":"another"}`)
}

// SEEDS M5: the endpoints of the memory design, with its names.
func TestAgentContextEndpointsAreThoseOfTheDesign(t *testing.T) {
	t.Parallel()
	onBoth(t, agentContextEndpointsAreThoseOfTheDesign)
}

func agentContextEndpointsAreThoseOfTheDesign(t *testing.T, w *world) {
	const base = "/api/agents/knight-1/context"
	c := w.listen("?types=memory_changed&agent=knight-1")
	var saved map[string]any
	w.get(&saved, "POST", base+"/save",
		`{"item_type":"TASK","content":"Add the login page to the web client","importance_score":0.9}`)
	if saved["item_id"] == "" || saved["tier"] != "HOT" || saved["merged"] != false {
		t.Errorf("save: %v", saved)
	}
	if e := w.next(c); e.Type != eventMemory || e.Agent != "knight-1" || dataOf(e)["change"] != "save" {
		t.Errorf("event %+v", e)
	}
	first := saved["item_id"]
	w.get(&saved, "POST", base+"/save", `{"item_type":"task","content":"Add the login page to the web client"}`)
	if saved["item_id"] != first || saved["merged"] != true {
		t.Errorf("the same again: %v", saved)
	}
	w.get(&saved, "POST", base+"/save", `{"item_type":"verbose_log","content":"GET /login 200 in 3 ms"}`)
	if saved["tier"] != "COLD" {
		t.Errorf("a log: %v", saved)
	}
	w.get(&saved, "POST", base+"/save",
		`{"item_type":"FACT","content":"The key is AKIAIOSFODNN7EXAMPLQ, kept in the vault"}`)
	if len(saved["redacted"].([]any)) != 1 {
		t.Errorf("a secret: %v", saved)
	}
	var list struct{ Items []client.Item }
	w.get(&list, "GET", base, "")
	if len(list.Items) != 1 || list.Items[0].ItemType != "TASK" || list.Items[0].Importance < .8 ||
		list.Items[0].Tier != string(memory.Hot) {
		t.Errorf("HOT: %+v", list)
	}
	hot := list.Items[0]
	if w.get(&list, "GET", base+"?tier=WARM", ""); len(list.Items) != 1 ||
		strings.Contains(list.Items[0].Content, "AKIA") {
		t.Errorf("WARM: %+v", list)
	}
	if w.get(&list, "GET", base+"?tier=all", ""); len(list.Items) != 3 {
		t.Errorf("all: %+v", list)
	}
	var stats map[string]any
	w.get(&stats, "GET", base+"/stats", "")
	if stats["total_items"] != 3.0 || stats["hot_count"] != 1.0 || stats["warm_count"] != 1.0 ||
		stats["cold_count"] != 1.0 || stats["total_tokens"].(float64) < 10 {
		t.Errorf("stats: %v", stats)
	}
	var flash map[string]any
	w.get(&flash, "POST", base+"/flash-save",
		`{"tokens_used":160000,"tokens_limit":200000,"items":[{"item_type":"DECISION","content":"We keep sessions in Redis"}]}`)
	if flash["items_archived"] != 1.0 || flash["hot_items_retained"] != 2.0 || flash["checkpoint_id"] == "" {
		t.Errorf("flash save: %v", flash)
	}
	if w.get(&list, "GET", base+"/archive", ""); len(list.Items) != 1 || list.Items[0].ItemType != "VERBOSE_LOG" ||
		!list.Items[0].Archived {
		t.Errorf("archive: %+v", list)
	}
	var diff struct {
		Added, Changed []client.Item
		Dropped        []string
		Same           int
	}
	have, _ := json.Marshal([]memory.Held{{ID: hot.ID, Hash: hot.Hash}, {ID: "gone", Hash: "x"}})
	w.get(&diff, "POST", base+"/diff", `{"have":`+string(have)+`}`)
	if len(diff.Added) != 1 || diff.Added[0].ItemType != "DECISION" || !slices.Equal(diff.Dropped, []string{"gone"}) ||
		diff.Same != 1 {
		t.Errorf("diff: %+v", diff)
	}
	var back map[string]any
	w.get(&back, "POST", base+"/restore", `{"checkpoint_id":`+quote(flash["checkpoint_id"].(string))+`}`)
	if back["checkpoint_id"] != flash["checkpoint_id"] || len(back["items"].([]any)) != 2 {
		t.Errorf("restore: %v", back)
	}
	w.get(&back, "POST", base+"/restore", "")
	w.refused(foreignCheck, "POST", "/api/agents/squire-1/context/restore",
		`{"checkpoint_id":`+quote(flash["checkpoint_id"].(string))+`}`)
	w.refused(notFound, "POST", base+"/restore", `{"checkpoint_id":"none"}`)
	if p := w.refused(invalidRequest, "POST", base+"/save",
		`{"item_type":"WISH","content":"x"}`); p.Field != "item_type" || !strings.Contains(p.Detail, "item_type") ||
		!slices.Contains(p.Known, "decision") {
		t.Errorf("unknown type: %+v", p)
	}
	w.refused(invalidRequest, "POST", base+"/save", `{"item_type":"FACT","content":" "}`)
	if p := w.refused(invalidRequest, "POST", base+"/save",
		`{"item_type":"FACT","content":"x","importance_score":2}`); p.Field != "importance_score" {
		t.Errorf("importance out of range: %+v", p)
	}
	if p := w.refused(invalidRequest, "POST", base+"/flash-save",
		`{"items":[{"item_type":"WISH","content":"x"}]}`); !strings.HasSuffix(p.Field, "item_type") {
		t.Errorf("unknown type in a flash save: %+v", p)
	}
	w.refused(unknownField, "POST", base+"/save", `{"item_type":"FACT","content":"x","importance":1}`)
	w.refused(invalidRequest, "GET", base+"?tier=LUKEWARM", "")
	w.refused(invalidRequest, "GET", base+"/stats?encoding=none", "")
	w.refused(invalidRequest, "GET", "/api/agents/"+strings.Repeat("x", 201)+"/context", "")
	if w.get(&list, "GET", "/api/agents/squire-1/context?tier=all", ""); len(list.Items) != 0 {
		// agents do not see each other's
		t.Errorf("another agent sees %+v", list)
	}
}

func TestMemoryIsListedFilteredAndForgotten(t *testing.T) {
	t.Parallel()
	onBoth(t, memoryIsListedFilteredAndForgotten)
}

func memoryIsListedFilteredAndForgotten(t *testing.T, w *world) {
	const base = "/v1/agents/knight-1/memory"
	for _, body := range []string{
		`{"item_type":"DECISION","content":"We keep sessions in Redis","tags":["auth"],"scope":"project","project":"web"}`,
		`{"item_type":"FACT","content":"The client is written in Go"}`,
		`{"item_type":"FACT","content":"The server has two cores","scope":"global"}`} {
		var saved client.Saved
		w.get(&saved, "POST", "/api/agents/knight-1/context/save", body)
	}
	for query, want := range map[string]int{"": 2, "?project=web": 3, "?kind=fact": 2, "?kind=decision&project=web": 1,
		"?scope=global": 1, "?tag=auth&project=web": 1,
		"?text=CLIENT": 1, "?limit=1": 1, "?tier=hot,warm&scope=task,global": 2, "?task=none": 0} {
		var list struct{ Items []memory.Item }
		if w.get(&list, "GET", base+query, ""); len(list.Items) != want {
			t.Errorf("%s: %d items, want %d", query, len(list.Items), want)
		}
	}
	var agents struct{ Agents []string }
	if w.get(&agents, "GET", "/v1/agents", ""); !slices.Equal(agents.Agents, []string{"knight-1"}) {
		t.Errorf("agents %q", agents.Agents)
	}
	var list struct{ Items []memory.Item }
	w.get(&list, "GET", base+"?kind=fact&scope=task", "")
	if a := w.do("DELETE", base+"/"+list.Items[0].ID, ""); a.code != 204 || len(a.body) != 0 {
		t.Errorf("forget: %d %s", a.code, a.body)
	}
	w.refused(notFound, "DELETE", base+"/"+list.Items[0].ID, "")
	w.refused(invalidRequest, "GET", base+"?scope=galaxy", "")
	w.refused(invalidRequest, "GET", base+"?limit=10001", "")
	w.refused(invalidRequest, "GET", base+"?project=-", "")
}

// After each task the agent's memory is re-tiered.
func TestCompletingATaskPutsMemoryIntoTiersAnew(t *testing.T) {
	t.Parallel()
	onBoth(t, completingATaskPutsMemoryIntoTiersAnew)
}

func completingATaskPutsMemoryIntoTiersAnew(t *testing.T, w *world) {
	var saved client.Saved
	w.get(&saved, "POST", "/api/agents/knight-1/context/save",
		`{"item_type":"TASK","content":"Add the login page","task_id":"t-1","project":"web"}`)
	if saved.Tier != string(memory.Hot) {
		t.Fatalf("saved %+v", saved)
	}
	c := w.listen("?types=memory_changed")
	var task history.Task
	w.get(&task, "POST", "/v1/projects/web/tasks?next_task=t-2",
		`{"task_id":"t-1","intent":"Add the login page","agent_id":"knight-1"}`)
	if e := w.next(c); dataOf(e)["change"] != "retier" {
		t.Errorf("event %+v", e)
	}
	var list struct{ Items []client.Item }
	if w.get(&list, "GET", "/api/agents/knight-1/context?tier=WARM&project=web", ""); len(list.Items) != 1 {
		t.Errorf("WARM after the task: %+v", list)
	}
	// Who cannot be has completed nothing.
	w.refused(invalidRequest, "POST", "/v1/projects/web/tasks",
		`{"task_id":"t-3","agent_id":"`+strings.Repeat("a", 300)+`"}`)
	w.refused(invalidRequest, "POST", "/v1/projects/web/tasks?agent=k%00", `{"task_id":"t-3"}`)
	w.refused(invalidRequest, "POST", "/v1/projects/web/tasks?agent=k&next_task="+strings.Repeat("a", 300),
		`{"task_id":"t-3"}`)
	w.refused(invalidRequest, "POST", "/v1/projects/web/tasks", `{"task_id":"t\n3"}`)
	var tasks struct{ Tasks []history.Task }
	if w.get(&tasks, "GET", "/v1/projects/web/tasks", ""); len(tasks.Tasks) != 1 {
		t.Errorf("recorded: %+v", tasks)
	}
}
