//go:build unix

package e2e

import (
	"reflect"
	"slices"
	"strings"

	client "github.com/contextd/contextd/clients/go"
)

func (s *supervisor) sendable() {
	talk := []client.Message{{Role: "user", Content: "how does DeleteSessionsOf work?"},
		{Role: "assistant", Content: "let me see"}}
	for want, r := range map[string]client.ContextRequest{
		"what does DeleteSessionsOf do":   {Query: "what does DeleteSessionsOf do"},
		"Hello there!":                    {Query: "Hello there!"},
		"how does DeleteSessionsOf work?": {Conversation: talk},
		"zyxwvut qqqplumbus":              {Query: "zyxwvut qqqplumbus"},
	} {
		m := s.ask(r).Messages
		if last := m[len(m)-1]; last.Role != "user" || !strings.Contains(last.Content, want) {
			s.Errorf("%q: the last message is %+v", want, last)
		}
	}
}

func (s *supervisor) textForm() {
	r, err := s.api.Search(s.Context(), client.SearchRequest{Query: "DeleteSessionsOf", Project: shop, Format: "text",
		DeadlineMS: 10_000})
	s.ok(err)
	s.holds(r.Text, "## RELEVANT CODEBASE CONTEXT\n\nFound ", "1. internal/session/store.go:", "(Relevance: ")
}

// counted is what some counters of the server say by now.
func (s *supervisor) counted() map[string]float64 {
	s.Helper()
	got := map[string]float64{}
	for name, part := range map[string]string{
		"contexts_total":        "",
		"context_reasons_total": "",
		"retrievals_total":      "",
	} {
		n, err := s.server.Metric("contextd_"+name, part)
		s.ok(err)
		got[name] = n
	}
	for _, status := range []string{"ok", "empty", "degraded"} {
		n, err := s.server.Metric("contextd_contexts_total", `status="`+status+`"`)
		s.ok(err)
		got[status] = n
	}
	return got
}

func (s *supervisor) counts() {
	heard := s.listen("queue_changed")
	want := s.counted()
	for _, r := range []client.ContextRequest{
		{AgentKind: "knight", Task: work(), DeadlineMS: 10_000},
		{Query: "zyxwvut qqqplumbus", DeadlineMS: 10_000},
		{Query: "what does DeleteSessionsOf do", DeadlineMS: 1}, // has several reasons, or none
		{Query: "Good morning!", DeadlineMS: 10_000},            // asks for no code
	} {
		r.Project = shop
		c, err := s.api.Context(s.Context(), r)
		s.ok(err)
		want[c.Status]++
		want["contexts_total"]++
		want["context_reasons_total"] += float64(len(c.Reasons))
		if r.Query != "Good morning!" {
			want["retrievals_total"]++
		}
	}
	if got := s.counted(); !reflect.DeepEqual(got, want) {
		s.Errorf("the metrics say %v, want %v", got, want)
	}
	s.refresh(shop, "go.mod") // is done within the second after which the queue is looked at
	s.hears(heard, "queue_changed", "", `"requests":1`)
}

func (s *supervisor) fieldNames() {
	s.save("knight-1", client.Draft{ItemType: "FACT", Content: "Receipts of the shop are numbered by the year",
		Scope: "project"})
	heard := s.listen("context_assembled")
	var reply, told map[string]any
	s.call("POST", "/v1/context", client.ContextRequest{Project: shop, Agent: "knight-1", AgentKind: "knight",
		Task: work(), DeadlineMS: 10_000}, &reply)
	s.decode(s.hears(heard, "context_assembled", "knight-1", `"fp-task-042"`), &told)
	for _, name := range []string{
		"task_id", "agent_kind", "profile_id", "fingerprint", "items_selected", "items_available", "budget_tokens",
	} {
		if told[name] == nil || !reflect.DeepEqual(told[name], reply[name]) {
			s.Errorf("%s is %v in the event, %v in the reply", name, told[name], reply[name])
		}
	}
	f, _ := told["fingerprint"].(map[string]any)
	for _, name := range []string{
		"mode", "complexity", "file_count", "profile", "tokens", "kinds", "tags", "compression", "tier_counts",
	} {
		if f[name] == nil {
			s.Errorf("the fingerprint lacks %s: %v", name, f)
		}
	}
	if hash, _ := f["file_hash"].(string); f["fingerprint_id"] != "fp-task-042" || len(hash) != 8 {
		s.Errorf("the fingerprint: %v", f)
	}
	var found struct{ Items []map[string]any }
	s.call("POST", "/v1/recall", map[string]string{"agent": "knight-1", "project": shop,
		"query": "how are receipts numbered", "memory_type": "FACT"}, &found)
	if len(found.Items) == 0 {
		s.Fatal("nothing is recalled")
	}
	if it := found.Items[0]; it["id"] == nil || it["type"] != "FACT" || it["content"] == "" || it["score"] == nil ||
		it["tier"] == nil {
		s.Errorf("recalled: %v", it)
	}
}

func (s *supervisor) logLine() {
	id := s.compile("squire").ID
	for line := range strings.Lines(s.server.Log()) {
		if strings.Contains(line, "context_assembled") && strings.Contains(line, id) {
			s.holds(strings.ReplaceAll(line, `"`, ""), "squire-1")
			s.holds(line, "system_prompt_length")
			return
		}
	}
	s.Error("the log does not tell of the context")
}

func (s *supervisor) missed() {
	for _, query := range []string{"zyxwvut qqqplumbus", "hello"} {
		c := s.ask(client.ContextRequest{Query: query})
		o, err := s.api.Feedback(s.Context(), c.ID,
			client.Feedback{Opened: []string{"go.mod"}, Searched: []string{"plumbus"}})
		s.ok(err)
		r, err := s.api.Receipt(s.Context(), c.ID)
		s.ok(err)
		want := []string{"go.mod", "plumbus"}
		if slices.Sort(o.Missed); c.Status == "ok" || o.Shown != 0 || !slices.Equal(o.Missed, want) ||
			r.Outcome == nil || len(r.Outcome.Missed) != 2 {
			s.Errorf("%q, %s: missed %+v, receipt %+v", query, c.Status, o, r.Outcome)
		}
	}
}
