package api

import (
	"reflect"
	"strings"
	"testing"

	client "github.com/contextd/contextd/clients/go"
)

func TestItemsHaveTheDesignsFieldNames(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		var saved client.Saved
		w.get(&saved, "POST", "/api/agents/knight-1/context/save",
			`{"item_type":"DECISION","content":"Sessions lie in Redis"}`)
		var list struct{ Items []map[string]any }
		w.get(&list, "GET", "/api/agents/knight-1/context", "")
		if len(list.Items) != 1 {
			t.Fatalf("%+v", list)
		}
		it := list.Items[0]
		if it["id"] != saved.ID || it["type"] != "DECISION" || it["content"] != "Sessions lie in Redis" ||
			it["score"] != it["importance_score"] || it["score"] == 0. || it["tier"] != "HOT" {
			t.Errorf("%v", it)
		}
	})
}

// What the source designs call a field of the event, of a context and of what recall returns is there under that name.
func TestContextEventAndRecallHaveTheDesignsFieldNames(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		w.index("web")
		w.do("POST", "/api/agents/knight-1/context/save",
			`{"item_type":"FACT","content":"Session tokens expire after an hour"}`)
		events := w.listen("?types=context_assembled")
		var reply map[string]any
		w.get(&reply, "POST", "/v1/context",
			`{"project":"web","agent":"knight-1","agent_kind":"knight","deadline_ms":10000,"task":{"id":"t-1","title":"Check expiry in src/auth/token.go"}}`)
		told := dataOf(w.next(events))
		if told == nil {
			t.Fatal("an event without data")
		}
		names := []string{"task_id", "agent_kind", "profile_id", "fingerprint", "items_selected", "items_available",
			"budget_tokens"}
		for _, name := range names {
			if told[name] == nil || !reflect.DeepEqual(told[name], reply[name]) {
				t.Errorf("%s: %v in the event, %v in the reply", name, told[name], reply[name])
			}
		}
		f, _ := told["fingerprint"].(map[string]any)
		for _, name := range []string{
			"mode", "complexity", "file_count", "profile", "tokens", "kinds", "tags", "compression", "tier_counts",
		} {
			if f[name] == nil {
				t.Errorf("the fingerprint has no %s: %v", name, f)
			}
		}
		hash, _ := f["file_hash"].(string)
		if f["fingerprint_id"] != "fp-t-1" || len(hash) != 8 || !reflect.DeepEqual(f["tier_counts"], f["items"]) ||
			f["compression"] != f["compression_ratio"] {
			t.Errorf("fingerprint %v", f)
		}
		var found struct{ Items []map[string]any }
		w.get(&found, "POST", "/v1/recall",
			`{"agent":"knight-1","query":"when do session tokens expire","memory_type":"FACT"}`)
		if len(found.Items) != 1 {
			t.Fatalf("%+v", found)
		}
		if it := found.Items[0]; it["id"] == "" || it["type"] != "FACT" || it["content"] == "" ||
			it["score"] != it["relevance"] || it["tier"] != "WARM" {
			t.Errorf("%v", it)
		}
	})
}

func TestErrorsNameTheFieldThatTheCallerSent(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.index("web")
	long := strings.Repeat("x", 300)
	for _, c := range []struct{ path, body, field string }{
		{"/api/agents/a/context/save", `{"item_type":"DREAM","content":"x"}`, "item_type"},
		{"/api/agents/a/context/save", `{"item_type":"FACT","content":"x","importance_score":2}`, "importance_score"},
		{"/api/agents/a/context/save", `{"item_type":"FACT","content":"x","tags":[""]}`, "tags"},
		{"/api/agents/a/context/save", `{"item_type":"FACT","content":"x","citations":[{"path":"/x"}]}`,
			"citations.path"},
		{"/api/agents/" + long + "/context/save", `{"item_type":"FACT","content":"x"}`, "agent_id"},
		{"/api/agents/a%7Fb/context/retier", `{}`, "agent_id"},
		{"/api/agents/a/context/flash-save", `{"items":[{"item_type":"DREAM","content":"x"}]}`, "items[0].item_type"},
		{"/api/agents/a/context/flash-save",
			`{"items":[{"item_type":"FACT","content":"x"},{"item_type":"FACT","content":"x","importance_score":2}]}`,
			"items[1].importance_score"},
		{"/api/agents/a/context/flash-save", `{"hot_tokens":-1}`, "hot_tokens"},
		{"/api/agents/a/context/diff", `{"have":[{"id":"","hash":""}]}`, "have.id"},
		{"/v1/recall", `{"agent":"a","query":"x","memory_type":"dream"}`, "memory_type"},
		{"/v1/recall", `{"agent":"","query":"x"}`, "agent"},
		{"/v1/context", `{"project":"web","query":"x","agent_kind":"jester"}`, "agent_kind"},
		{"/v1/context", `{"project":"web","query":"x","profile":"jester"}`, "profile"},
		{"/v1/projects/web/tasks?agent=a&next_task=" + long, `{"task_id":"t-1"}`, "next_task"},
	} {
		p := w.refused(invalidRequest, "POST", c.path, c.body)
		if p.Field != c.field || !strings.Contains(p.Detail, c.field) && p.Field != "agent_kind" {
			t.Errorf("%s %s: field %q, %s", c.path, c.body, p.Field, p.Detail)
		}
	}
}

// A value of the wrong kind is blamed by the name that the client wrote, also where the server reads the field into an
// embedded struct.
func TestWrongKindsAreBlamedByTheNameThatWasSent(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, tt := range []struct{ path, body, field string }{
		{"/api/agents/knight-1/context/save", `{"item_type":"fact","content":5}`, "content"},
		{"/api/agents/knight-1/context/save",
			`{"item_type":"fact","content":"x","citations":[{"path":"a.go","span":{"start":"z"}}]}`,
			"citations.span.start"},
		{"/api/agents/knight-1/context/flash-save", `{"items":[{"item_type":"fact","content":5}]}`, "items.content"},
		{"/v1/context", `{"root":"/srv","task":{"title":5}}`, "task.title"},
		{"/v1/context", `{"root":"/srv","task":{"steps":[{"run":5}]}}`, "task.steps.run"},
		{"/v1/search", `{"query":5}`, "query"},
	} {
		if p := w.refused(invalidRequest, "POST", tt.path, tt.body); p.Field != tt.field ||
			!strings.HasPrefix(p.Detail, tt.field+": want ") {
			t.Errorf("%s %s: field %q, detail %q, want %q", tt.path, tt.body, p.Field, p.Detail, tt.field)
		}
	}
}
