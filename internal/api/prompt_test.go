package api

import (
	"slices"
	"strings"
	"testing"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/receipt"
)

// partOf is the part of a source.
func partOf(t *testing.T, p *prompt.Prompt, source string) prompt.Part {
	t.Helper()
	i := slices.IndexFunc(p.Parts, func(x prompt.Part) bool { return strings.HasPrefix(x.Source, source) })
	if i < 0 {
		t.Fatalf("no part of %q in %+v", source, p.Parts)
	}
	return p.Parts[i]
}

// shows is the text of a part.
func shows(p *prompt.Prompt, x prompt.Part) string {
	return p.Messages[x.Message].Content[x.Start:x.End]
}

func TestAPromptIsCompiledAgainExactlyWhileItsSourcesStand(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		w.index("web")
		var saved client.Saved
		w.get(&saved, "POST", "/api/agents/knight-1/context/save",
			`{"item_type":"DECISION","content":"Session tokens expire after one hour","project":"web"}`)
		w.do("POST", "/v1/projects/web/tasks", `{"task_id":"t-0","intent":"Add session tokens"}`)
		w.do("POST", "/v1/projects/web/blockers", `{"id":"t-9","reason":"waits for the certificate"}`)
		for name, more := range map[string]string{"plain": "", "short": `,"budget_tokens":330`} {
			sent := w.knight(more)
			var p prompt.Prompt
			w.get(&p, "GET", "/v1/receipts/"+sent.ID+"/prompt", "")
			if !p.Exact || !slices.Equal(p.Messages, sent.Messages) || p.Tokens != sent.Tokens || len(p.Parts) < 3 {
				t.Errorf("%s: exact %v, parts %+v\n%+v\nwant\n%+v", name, p.Exact, p.Parts, p.Messages, sent.Messages)
			}
			for _, x := range p.Parts {
				if text := shows(&p, x); x.State != prompt.PartSame || text == "" || strings.HasPrefix(text, "\n") ||
					strings.HasSuffix(text, "\n") {
					t.Errorf("%s: part %+v says %q", name, x, text)
				}
			}
		}
		var asked prompt.Reply
		w.get(&asked, "POST", "/v1/context",
			`{"project":"web","agent":"a","query":"verify the signature of a session token","deadline_ms":10000}`)
		var p prompt.Prompt
		if w.get(&p, "GET", "/v1/receipts/"+asked.ID+"/prompt", ""); !p.Exact ||
			shows(&p, partOf(t, &p, "question")) != "verify the signature of a session token" {
			t.Errorf("a question: %+v", p)
		}
		w.do("POST", "/v1/projects/web/tasks", `{"task_id":"t-1","intent":"Later work"}`)
		w.write("src/later.go", "package src\n")
		if w.get(&p, "GET", "/v1/receipts/"+asked.ID+"/prompt", ""); !p.Exact {
			t.Errorf("after other work: %+v", p)
		}
	})
}

func TestAPromptMarksWhatIsNoLongerAsItWas(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		w.index("web")
		var saved client.Saved
		w.get(&saved, "POST", "/api/agents/knight-1/context/save",
			`{"item_type":"DECISION","content":"Session tokens expire after one hour","project":"web"}`)
		id := w.knight("").ID
		w.write("src/auth/token.go",
			"package auth\n\n// Verify checks the signature of a session token.\nfunc Verify(token string) error {\n\tpanic(token)\n}\n")
		var p prompt.Prompt
		w.get(&p, "GET", "/v1/receipts/"+id+"/prompt", "")
		x := partOf(t, &p, "file:src/auth/token.go")
		if text := shows(&p, x); p.Exact || x.State != prompt.PartChanged ||
			!strings.HasPrefix(text, "[src/auth/token.go:") || !strings.HasSuffix(text, " has changed since]") {
			t.Errorf("a changed file: exact %v, %+v, %q", p.Exact, x, text)
		}
		if m := partOf(t, &p, "memory:"); m.State != prompt.PartSame ||
			!strings.Contains(shows(&p, m), "expire after one hour") {
			t.Errorf("memory beside it: %+v", m)
		}
		// what the rules leave out by now is not shown, though its text is the same
		w.write("src/auth/token.go",
			"package auth\n\n// Verify checks the signature of a session token.\nfunc Verify(token string) error {\n\treturn nil\n}\n")
		if w.get(&p, "GET", "/v1/receipts/"+id+"/prompt", ""); !p.Exact {
			t.Errorf("a file that is as it was again: %+v", p.Parts)
		}
		w.write(".contextdignore", "src/auth/\n")
		w.do("DELETE", "/v1/agents/knight-1/memory/"+saved.ID+"?project=web", "")
		w.get(&p, "GET", "/v1/receipts/"+id+"/prompt", "")
		for _, source := range []string{"file:src/auth/token.go", "memory:"} {
			if x := partOf(t, &p, source); x.State != prompt.PartGone ||
				!strings.HasSuffix(shows(&p, x), " is no longer there]") {
				t.Errorf("%+v, %q", x, shows(&p, x))
			}
		}
		// what the caller handed in beside title and description is not kept
		sent := w.with(`"steps":[{"description":"Compare the expiry","code":"secretplan()","run":"go test"}]`)
		w.get(&p, "GET", "/v1/receipts/"+sent.ID+"/prompt", "")
		i := slices.IndexFunc(p.Parts, func(x prompt.Part) bool { return x.Section == "Steps" })
		if i < 0 || p.Exact || p.Parts[i].State != prompt.PartNotKept ||
			strings.Contains(p.Messages[1].Content, "secretplan") {
			t.Errorf("steps: %+v", p.Parts)
		}
		var r receipt.Receipt
		if w.get(&r, "GET", "/v1/receipts/"+sent.ID, ""); r.Prompt == nil || len(r.Prompt.Hash) != 64 {
			t.Errorf("hashes %+v", r.Prompt)
		}
		w.refused(notFound, "GET", "/v1/receipts/ctx_none/prompt", "")
	})
}

// with asks for a context of a task with more fields.
func (w *world) with(more string) *prompt.Reply {
	w.t.Helper()
	var c prompt.Reply
	w.get(&c, "POST", "/v1/context", `{"project":"web","agent":"knight-1","agent_kind":"knight","deadline_ms":10000,
		"task":{"id":"t-1","title":"Check expiry of session tokens",`+more+`}}`)
	return &c
}
