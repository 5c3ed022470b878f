//go:build agents && unix

package agents

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The versions of the agents whose hooks are checked.
const (
	claudeCode = "@anthropic-ai/claude-code@2.1.332"
	codexAgent = "@openai/codex@0.171.0"
)

// cartPrompt is what the user of the tests asks for: the strong place is the one function of the project.
const cartPrompt = "make AddToCart refuse a product that is empty"

// installed is the first line of what a hook adds.
const installed = "contextd, installed by the owner of this machine"

// step is one answer of a fake model: the use of a tool, or the last words.
type step struct {
	tool  string
	input map[string]any
	text  string
}

// model is a fake model server. It answers the n-th request of the conversation with the n-th step, and keeps what it
// was asked.
type model struct {
	*httptest.Server
	mu    sync.Mutex
	steps []step
	asked []string // bodies of the requests of the conversation
	other []string // paths of the rest
}

// turn is the step for a request of the conversation.
func (m *model) turn(body string) step {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, body)
	return m.steps[min(len(m.asked), len(m.steps))-1]
}

func (m *model) note(path string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.other = append(m.other, path)
}

// sse writes one event of a stream.
func sse(w io.Writer, name string, data map[string]any) {
	data["type"] = name
	text, _ := json.Marshal(data)
	fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, text)
}

// hookWorld is a world with an index and time enough for hooks on a slow machine.
func hookWorld(t *testing.T) *World {
	t.Helper()
	w := newWorld(t)
	for name, text := range map[string]string{
		"shop/stock.go": "package shop\n\n// reserve takes a product out of the stock for an hour.\nfunc reserve(product string) error { return nil }\n",
		"mail/send.go":  "package mail\n\n// Deliver sends a letter by SMTP.\nfunc Deliver(letter string) {}\n",
		"tax/rate.go":   "package tax\n\n// Rate is what a country takes.\nfunc Rate(country string) float64 { return .2 }\n"} {
		write(t, filepath.Join(w.Project, name), text)
	}
	w.Env = append(w.Env, "CONTEXTD_HOOK_DEADLINE=30s")
	if out, complaints, err := w.run(t, retriever(), "query", "AddToCart", "--root", w.Project); err != nil {
		t.Fatalf("index: %v: %s%s", err, out, complaints)
	}
	return w
}

// hookEntries are the entries of an agent's settings for our hooks, in the shape that both agents have.
func hookEntries(agent string, events ...string) map[string]any {
	entries := map[string]any{}
	for _, e := range events {
		entries[e] = []any{map[string]any{
			"hooks": []any{map[string]any{"type": "command", "command": retriever() + " hook " + agent}}}}
	}
	return map[string]any{"hooks": entries}
}

// write writes a file of the world.
func write(t *testing.T, file string, v any) {
	t.Helper()
	data, ok := v.(string)
	if !ok {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		data = string(text)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

// checkLearnt wants that the model saw code that the hook gave, and that the receipt has a label that nobody sent by
// hand.
func checkLearnt(t *testing.T, w *World, m *model, agent string) {
	t.Helper()
	m.mu.Lock()
	asked := slices.Clone(m.asked)
	m.mu.Unlock()
	log, _ := os.ReadFile(filepath.Join(w.State, "hook", "hook.log"))
	if len(asked) < len(m.steps) || !strings.Contains(asked[0], installed) ||
		!strings.Contains(asked[0], "shop/cart.go:") {
		t.Fatalf("%d requests; the first has code: %v; log of hooks:\n%s", len(asked),
			strings.Contains(asked[0], installed), log)
	}
	out, complaints, err := w.run(t, retriever(), "explain", "--root", w.Project, "--json", "--limit", "1")
	var list struct {
		Receipts []struct {
			ID    string `json:"id"`
			Agent string `json:"agent_kind"`
		} `json:"receipts"`
	}
	if err != nil || json.Unmarshal([]byte(out), &list) != nil || len(list.Receipts) != 1 ||
		list.Receipts[0].Agent != agent {
		t.Fatalf("receipts: %v: %s%s", err, out, complaints)
	}
	out, complaints, err = w.run(t, retriever(), "explain", list.Receipts[0].ID, "--json")
	var receipt struct {
		Outcome struct {
			Used []string `json:"used"`
		} `json:"outcome"`
	}
	if err != nil || json.Unmarshal([]byte(out), &receipt) != nil || len(receipt.Outcome.Used) == 0 ||
		!strings.Contains(receipt.Outcome.Used[0], "shop/cart.go") {
		t.Fatalf("no used label: %v: %s%s\nlog of hooks:\n%s", err, out, complaints, log)
	}
}

// hasMCP reports whether this build serves the Model Context Protocol.
func hasMCP(t *testing.T, w *World) bool {
	t.Helper()
	out, _, err := w.run(t, retriever(), "--help")
	return err == nil && strings.Contains(out, "\n  mcp ")
}

// messages serves what Claude Code asks of the Messages API.
func messages(t *testing.T, steps []step) *model {
	m := &model{steps: steps}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(io.LimitReader(r.Body, 8<<20))
		var req struct {
			Stream bool  `json:"stream"`
			Tools  []any `json:"tools"`
		}
		_ = json.Unmarshal(body, &req)
		if r.URL.Path != "/v1/messages" {
			m.note(r.Method + " " + r.URL.Path)
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"input_tokens": 10}`)
			return
		}
		s := step{text: "A title"}
		if len(req.Tools) > 0 && strings.Contains(string(body), "AddToCart") {
			s = m.turn(string(body))
		}
		block, delta, stop := map[string]any{"type": "text", "text": ""},
			map[string]any{"type": "text_delta", "text": s.text}, "end_turn"
		whole := map[string]any{"type": "text", "text": s.text}
		if s.tool != "" {
			input, _ := json.Marshal(s.input)
			id := fmt.Sprintf("toolu_%d", len(m.asked))
			block, delta, stop = map[string]any{"type": "tool_use", "id": id, "name": s.tool,
				"input": map[string]any{}}, map[string]any{"type": "input_json_delta", "partial_json": string(input)},
				"tool_use"
			whole = map[string]any{"type": "tool_use", "id": id, "name": s.tool, "input": s.input}
		}
		message := map[string]any{"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-test",
			"content": []any{}, "stop_reason": nil, "stop_sequence": nil,
			"usage": map[string]any{"input_tokens": 10, "output_tokens": 1}}
		if !req.Stream {
			message["content"], message["stop_reason"] = []any{whole}, stop
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(message)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		sse(w, "message_start", map[string]any{"message": message})
		sse(w, "content_block_start", map[string]any{"index": 0, "content_block": block})
		sse(w, "content_block_delta", map[string]any{"index": 0, "delta": delta})
		sse(w, "content_block_stop", map[string]any{"index": 0})
		sse(w, "message_delta", map[string]any{"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil},
			"usage": map[string]any{"output_tokens": 5}})
		sse(w, "message_stop", map[string]any{})
	}))
	t.Cleanup(m.Close)
	return m
}

func TestClaudeCodeIsGivenCodeByItsHooksAndTheyLearn(t *testing.T) {
	t.Parallel()
	modules := npm(t, claudeCode)
	w := hookWorld(t)
	cart := filepath.Join(w.Project, "shop", "cart.go")
	steps := []step{{tool: "Read", input: map[string]any{"file_path": cart}},
		{tool: "Edit", input: map[string]any{"file_path": cart, "old_string": "return reserve(product)",
			"new_string": "return reserve(customer, product)"}}, {text: "It is done."}}
	args := []string{"-p", cartPrompt, "--permission-mode", "acceptEdits"}
	mcp := hasMCP(t, w)
	if mcp {
		write(t, filepath.Join(w.Home, "mcp.json"),
			map[string]any{"mcpServers": map[string]any{"contextd": map[string]any{"type": "stdio",
				"command": retriever(), "args": []string{"mcp"}}}})
		steps = append([]step{{tool: "mcp__contextd__search_code", input: map[string]any{"query": "AddToCart"}}},
			steps...)
		args = append(args, "--mcp-config", filepath.Join(w.Home, "mcp.json"), "--strict-mcp-config", "--allowedTools",
			"mcp__contextd__search_code")
	}
	m := messages(t, steps)
	write(t, filepath.Join(w.Home, ".claude", "settings.json"),
		hookEntries("claude-code", "UserPromptSubmit", "SessionStart", "PostToolUse", "Stop", "PreCompact"))
	w.Env = append(w.Env, "ANTHROPIC_BASE_URL="+m.URL, "ANTHROPIC_API_KEY=none",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1")
	out, complaints, err := w.run(t, filepath.Join(modules, ".bin", "claude"), args...)
	if err != nil || !strings.Contains(out, "It is done.") {
		t.Fatalf("claude: %v: %s%s (asked %d times, and %v)", err, tail(out), tail(complaints), len(m.asked), m.other)
	}
	if data, err := os.ReadFile(cart); err != nil || !strings.Contains(string(data), "reserve(customer, product)") {
		t.Fatalf("not edited: %v: %s", err, data)
	}
	checkLearnt(t, w, m, "claude-code")
	if mcp && !strings.Contains(m.asked[1], "tool_result") {
		t.Errorf("no answer of search_code in:\n%s", tail(m.asked[1]))
	}
}

// responses serves what Codex asks of the Responses API.
func responses(t *testing.T, steps []step) *model {
	m := &model{steps: steps}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(io.LimitReader(r.Body, 8<<20))
		if !strings.HasSuffix(r.URL.Path, "/responses") {
			m.note(r.Method + " " + r.URL.Path)
			http.NotFound(w, r)
			return
		}
		s := m.turn(string(body))
		n := len(m.asked)
		item := map[string]any{"type": "message", "role": "assistant", "id": fmt.Sprintf("msg_%d", n),
			"content": []any{map[string]any{"type": "output_text", "text": s.text, "annotations": []any{}}}}
		if s.tool != "" {
			input, _ := json.Marshal(s.input)
			item = map[string]any{"type": "function_call", "id": fmt.Sprintf("fc_%d", n),
				"call_id": fmt.Sprintf("call_%d", n), "name": s.tool, "arguments": string(input)}
			if patch, ok := s.input["patch"].(string); ok {
				item = map[string]any{"type": "custom_tool_call", "id": fmt.Sprintf("fc_%d", n),
					"call_id": fmt.Sprintf("call_%d", n), "name": s.tool, "input": patch}
			}
		}
		id := fmt.Sprintf("resp_%d", n)
		w.Header().Set("Content-Type", "text/event-stream")
		sse(w, "response.created", map[string]any{"response": map[string]any{"id": id}})
		sse(w, "response.output_item.done", map[string]any{"output_index": 0, "item": item})
		sse(w, "response.completed",
			map[string]any{"response": map[string]any{"id": id,
				"usage": map[string]any{"input_tokens": 10, "input_tokens_details": nil, "output_tokens": 5,
					"output_tokens_details": nil, "total_tokens": 15}}})
	}))
	t.Cleanup(m.Close)
	return m
}

func TestCodexIsGivenCodeByItsHooksAndTheyLearn(t *testing.T) {
	t.Parallel()
	modules := npm(t, codexAgent)
	w := hookWorld(t)
	m := responses(t, []step{{tool: "exec_command", input: map[string]any{"cmd": "cat shop/cart.go"}},
		{tool: "apply_patch",
			input: map[string]any{
				"patch": "*** Begin Patch\n*** Update File: shop/cart.go\n@@\n-\treturn reserve(product)\n+\treturn reserve(customer, product)\n*** End Patch\n"}}, {text: "It is done."}})
	config := filepath.Join(w.Home, ".codex")
	write(t, filepath.Join(config, "hooks.json"),
		hookEntries("codex", "UserPromptSubmit", "SessionStart", "PostToolUse", "Stop", "PreCompact"))
	// A model that Codex knows: for others it offers no tool for patches.
	write(t, filepath.Join(config, "config.toml"),
		fmt.Sprintf("model = \"gpt-5.5\"\nmodel_provider = \"local\"\n[model_providers.local]\nname = \"local\"\nbase_url = %q\nwire_api = \"responses\"\nrequires_openai_auth = false\nsupports_websockets = false\n", m.URL+"/v1"))
	w.Env = append(w.Env, "CODEX_HOME="+config)
	out, complaints, err := w.run(t, filepath.Join(modules, ".bin", "codex"), "exec", "--skip-git-repo-check",
		"--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust", cartPrompt)
	if err != nil || !strings.Contains(out, "It is done.") {
		t.Fatalf("codex: %v: %s%s (asked %d times, and %v)", err, tail(out), tail(complaints), len(m.asked), m.other)
	}
	checkLearnt(t, w, m, "codex")
}
