package api

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/usage"
)

// knight asks for a context; more are fields of the request, each with a comma before it.
func (w *world) knight(more string) *prompt.Reply {
	w.t.Helper()
	var c prompt.Reply
	w.get(&c, "POST", "/v1/context", `{"project":"web","agent":"knight-1","agent_kind":"knight","deadline_ms":10000,
		"task":{"id":"t-1","title":"Check expiry of session tokens","description":"Verify in src/auth/token.go accepts expired tokens; it must refuse them."}`+more+`}`)
	return &c
}

// textOf is all that a context says.
func textOf(c *prompt.Reply) string {
	var b strings.Builder
	for _, m := range c.Messages {
		b.WriteString(m.Content + "\n")
	}
	return b.String()
}

// From a task to a finished, explained prompt, over HTTP.
func TestContextIsCompiledExplainedAndLearnedFrom(t *testing.T) {
	t.Parallel()
	onBoth(t, contextIsCompiledExplainedAndLearnedFrom)
}

func contextIsCompiledExplainedAndLearnedFrom(t *testing.T, w *world) {
	w.index("web")
	c := w.listen("?types=context_assembled&agent=knight-1&project=web")
	var saved client.Saved
	w.get(&saved, "POST", "/api/agents/knight-1/context/save",
		`{"item_type":"DECISION","content":"Session tokens expire after one hour","project":"web"}`)
	var task history.Task
	w.get(&task, "POST", "/v1/projects/web/tasks", `{"task_id":"t-0","intent":"Add session tokens"}`)
	first := w.knight("")
	text := textOf(first)
	for _, want := range []string{
		"Check expiry of session tokens", "func Verify(token string) error", "Session tokens expire after one hour",
		"Add session tokens",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the context lacks %q:\n%s", want, text)
		}
	}
	if first.Status != prompt.OK || first.Tokens > first.BudgetTokens || first.Fingerprint == nil ||
		first.PrefixHash == "" {
		t.Errorf("reply %+v", first)
	}
	if e := w.next(c); e.Type != eventAssembled || e.Project != "web" || e.Agent != "knight-1" ||
		dataOf(e)["profile_id"] != "knight" {
		t.Errorf("event %+v", e)
	}
	var r receipt.Receipt
	w.get(&r, "GET", "/v1/receipts/"+first.ID, "")
	if r.Agent != "knight-1" || !slices.ContainsFunc(r.Items, func(l receipt.Line) bool {
		return strings.Contains(l.Source, "src/auth/token.go") && l.Decision != receipt.Dropped
	}) {
		t.Errorf("receipt %+v", r)
	}
	var report usage.Report
	w.get(&report, "POST", "/v1/context/"+first.ID+"/feedback",
		`{"response":"Verify now refuses session tokens that expire: after one hour the signature check fails.","edited":["src/auth/token.go"]}`)
	if len(report.Used) == 0 || report.Precision == 0 {
		t.Errorf("report %+v", report)
	}
	second := w.knight(`,"budget_tokens":600`)
	var d receipt.Changes
	if w.get(&d, "GET", "/v1/receipts/"+first.ID+"/diff/"+second.ID, ""); !slices.Contains(d.Causes,
		receipt.CauseBudget) {
		t.Errorf("diff %+v", d)
	}
	var list struct{ Receipts []receipt.Receipt }
	if w.get(&list, "GET", "/v1/receipts?project=web", ""); len(list.Receipts) != 2 ||
		list.Receipts[0].ID != second.ID {
		t.Errorf("receipts %+v", list)
	}
	if w.get(&list, "GET", "/v1/receipts?project=web&limit=1", ""); len(list.Receipts) != 1 {
		t.Errorf("receipts %+v", list)
	}
	if w.get(&r, "GET", "/v1/receipts/"+first.ID, ""); r.Outcome == nil || len(r.Outcome.Used) == 0 {
		t.Errorf("outcome %+v", r.Outcome)
	}
}

func TestAMemoryThatRepeatsTheContextIsRefused(t *testing.T) {
	t.Parallel()
	onBoth(t, aMemoryThatRepeatsTheContextIsRefused)
}

func aMemoryThatRepeatsTheContextIsRefused(t *testing.T, w *world) {
	const fact = "The nightly export writes one file for each tenant and signs it with the key of that tenant"
	var saved client.Saved
	w.get(&saved, "POST", "/api/agents/knight-1/context/save", `{"item_type":"FACT","content":"`+fact+
		`","scope":"global"}`)
	var found prompt.Recalled
	w.get(&found, "POST", "/v1/recall",
		`{"agent":"squire-1","query":"how is the nightly export signed","memory_type":"fact"}`)
	if len(found.Items) != 1 || found.Items[0].Content != fact || !strings.Contains(found.Text, fact) {
		t.Fatalf("recall %+v", found)
	}
	w.refused(injectedText, "POST", "/api/agents/squire-1/context/save",
		`{"item_type":"DECISION","content":"`+fact+`"}`)
	w.get(&found, "POST", "/v1/recall",
		`{"agent":"squire-1","query":"nothing of that kind whatsoever","memory_type":"procedure"}`)
	if len(found.Items) != 0 || found.Text != "" {
		t.Errorf("recall %+v", found)
	}
	if p := w.refused(invalidRequest, "POST", "/v1/recall",
		`{"agent":"a","query":"x","memory_type":"dream"}`); p.Field != "memory_type" ||
		!slices.Contains(p.Known, "fact") {
		t.Errorf("%+v", p)
	}
	w.refused(invalidRequest, "POST", "/v1/recall", `{"agent":"","query":"x"}`)
}

// A compacted notice makes the conversation that was sent before count no more.
func TestCompactedNoticeResetsTheConversation(t *testing.T) {
	t.Parallel()
	onBoth(t, compactedNoticeResetsTheConversation)
}

func compactedNoticeResetsTheConversation(t *testing.T, w *world) {
	var saved client.Saved
	w.get(&saved, "POST", "/api/agents/knight-1/context/save",
		`{"item_type":"DECISION","content":"Session tokens expire after one hour and are then refused","project":"web"}`)
	talk := `,"conversation":[{"role":"user","content":"Session tokens expire after one hour and are then refused"}]`
	if text := textOf(w.knight(talk)); strings.Contains(text, "expire after one hour") {
		t.Errorf("the conversation says it already:\n%s", text)
	}
	if a := w.do("POST", "/v1/agents/knight-1/compacted", ""); a.code != 204 {
		t.Errorf("compacted: %d %s", a.code, a.body)
	}
	if text := textOf(w.knight(talk)); !strings.Contains(text, "expire after one hour") {
		t.Errorf("the window was compacted:\n%s", text)
	}
}

func TestBadContextRequestsSayWhatIsWanted(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ask := func(kind slug, field, body string) client.Problem {
		t.Helper()
		p := w.refused(kind, "POST", "/v1/context", body)
		if p.Field != field {
			t.Errorf("%s: field %q, want %q", body, p.Field, field)
		}
		return p
	}
	if p := ask(invalidRequest, "agent_kind",
		`{"project":"web","agent_kind":"jester","query":"x"}`); !slices.Contains(p.Known, "knight") {
		t.Errorf("known %q", p.Known)
	}
	if p := ask(invalidRequest, "profile",
		`{"project":"web","profile":"jester","query":"x"}`); !slices.Contains(p.Known, "knight") {
		t.Errorf("known %q", p.Known)
	}
	ask(budgetTooSmall, "budget_tokens",
		`{"project":"web","budget_tokens":3,"task":{"id":"t","title":"Fix the login page","description":"It fails."}}`)
	ask(invalidRequest, "task", `{"project":"web","task":{"id":"t"}}`)
	ask(invalidRequest, "task.mode", `{"project":"web","task":{"title":"x","mode":"later"}}`)
	ask(invalidRequest, "project", `{"query":"x"}`)
	ask(invalidRequest, "deadline_ms", `{"project":"web","query":"x","deadline_ms":0}`)
	ask(invalidRequest, "min_generation", `{"project":"web","query":"x","min_generation":-1}`)
	ask(invalidRequest, "inject_at", `{"project":"web","query":"x","inject_at":2}`)
	if p := ask(invalidRequest, "encoding",
		`{"project":"web","query":"x","encoding":"morse"}`); !slices.Contains(p.Known, "o200k_base") {
		t.Errorf("known %q", p.Known)
	}
	ask(unknownField, "agentKind", `{"project":"web","query":"x","agentKind":"knight"}`)
	w.refused(bodyTooLarge, "POST", "/v1/context", `{"query":"`+strings.Repeat("x", maxContext)+`"}`)
	w.refused(invalidEncoding, "POST", "/v1/context", "{\"query\":\"\xff\"}")
	w.refused(notFound, "GET", "/v1/receipts/ctx_none", "")
	w.refused(notFound, "POST", "/v1/context/ctx_none/feedback", `{"response":"x"}`)
	w.refused(notFound, "GET", "/v1/receipts/ctx_none/diff/ctx_other", "")
	w.refused(invalidRequest, "GET", "/v1/receipts", "")
}

// What is not indexed makes a context degraded, and blocks no prompt.
func TestContextWithoutAnIndexIsAnAnswer(t *testing.T) {
	t.Parallel()
	w := setup(t)
	c := w.knight("")
	if c.Status != prompt.Degraded || !slices.Contains(c.Reasons, "index_missing") ||
		!strings.Contains(textOf(c), "Check expiry") {
		t.Errorf("reply %+v", c)
	}
	body := string(w.do("GET", "/metrics", "").body)
	if want := fmt.Sprintf("contextd_retrieval_reasons_total{reason=%q}", "index_missing"); !strings.Contains(body,
		want) {
		t.Errorf("/metrics lacks %s", want)
	}
}
