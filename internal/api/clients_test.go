package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	client "github.com/contextd/contextd/clients/go"
)

const testToken = "correct-horse-battery"

// The TypeScript client runs under Node.js as it is committed, against a real server.
func TestTypeScriptClientAgainstARealServer(t *testing.T) {
	t.Parallel()
	w := setup(t, func(o *Options) { o.Token = testToken })
	library, err := filepath.Abs(filepath.Join("..", "..", "clients", "ts", "contextd.js"))
	if err != nil {
		t.Fatal(err)
	}
	at := &url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(library), "/")}
	if err := node(t.Context()); err != nil {
		if os.Getenv("CONTEXTD_REQUIRE_NODE") == "1" {
			t.Fatal(err)
		}
		t.Skipf("SKIPPED, NOT TESTED: %v", err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "--experimental-websocket", "--no-warnings",
		filepath.Join("testdata", "client.mjs"), at.String(), w.http.URL, testToken, w.root)
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "ok\n" {
		t.Errorf("%v: %s", err, out)
	}
	if !strings.Contains(w.logs.String(), "from-node") {
		t.Error("the request id did not arrive")
	}
	example := exec.CommandContext(t.Context(), "node",
		filepath.Join(filepath.Dir(library), "examples", "supervisor.mjs"), w.root, "Check expiry of session tokens")
	example.Env = append(os.Environ(), "CONTEXTD_URL="+w.http.URL, "CONTEXTD_TOKEN="+testToken)
	if out, err := example.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "task-1: ok, ") {
		t.Errorf("the example: %v: %s", err, out)
	}
}

// The Python client runs as it is committed, against a real server, with nothing but Python's own library; where httpx
// and websockets are installed, its asyncio calls and its events do, too.
func TestPythonClientAgainstARealServer(t *testing.T) {
	t.Parallel()
	if err := exec.CommandContext(t.Context(), "python3", "-c",
		"import sys; sys.exit(sys.version_info < (3, 9))").Run(); err != nil {
		t.Skipf("SKIPPED, NOT TESTED: the Python client wants python3 from 3.9 on PATH: %v", err)
	}
	w := setup(t, func(o *Options) { o.Token = testToken })
	library, err := filepath.Abs(filepath.Join("..", "..", "clients", "python"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "python3", "-B", filepath.Join("testdata", "client.py"), library,
		w.http.URL, testToken, w.root)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "ok") {
		t.Errorf("%v: %s", err, out)
	}
	t.Logf("%s", out)
	if !strings.Contains(w.logs.String(), "from-python") {
		t.Error("the request id did not arrive")
	}
	example := exec.CommandContext(t.Context(), "python3", "-B", filepath.Join(library, "examples", "supervisor.py"),
		w.root, "Check expiry of session tokens")
	example.Env = append(os.Environ(), "PYTHONPATH="+library, "CONTEXTD_URL="+w.http.URL, "CONTEXTD_TOKEN="+testToken)
	if out, err := example.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "task-1: ok, ") {
		t.Errorf("the example: %v: %s", err, out)
	}
}

// node says whether a Node.js with WebSockets is there.
func node(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "node", "--version").Output()
	if err != nil {
		return fmt.Errorf("the TypeScript client wants Node.js from 20 on PATH: %w", err)
	}
	major, _, _ := strings.Cut(strings.TrimPrefix(string(out), "v"), ".")
	if n, err := strconv.Atoi(major); err != nil || n < 20 {
		return fmt.Errorf("the TypeScript client wants Node.js from 20 on PATH, not %q", strings.TrimSpace(string(out)))
	}
	return nil
}

// The Go client's example is a program of its own.
func TestGoClientsExampleAgainstARealServer(t *testing.T) {
	t.Parallel()
	w := setup(t, func(o *Options) { o.Token = testToken })
	example := exec.CommandContext(t.Context(), "go", "run", "../../clients/go/examples/supervisor", w.root,
		"Check expiry of session tokens")
	example.Env = append(os.Environ(), "CONTEXTD_URL="+w.http.URL, "CONTEXTD_TOKEN="+testToken)
	if out, err := example.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "task-1: ok, ") {
		t.Errorf("%v: %s", err, out)
	}
}

// The Go client against a real server: a supervisor's turn.
func TestGoClientAgainstARealServer(t *testing.T) {
	t.Parallel()
	w := setup(t, func(o *Options) { o.Token = testToken })
	w.index("web")
	c := client.New(w.http.URL+"/", client.Options{Token: testToken, HTTP: w.http.Client()})
	ctx := t.Context()
	heard, ready := make(chan []string, 1), make(chan struct{})
	go func() {
		var types []string
		err := c.Events(ctx, func(e client.Event) bool {
			types = append(types, e.Type+" "+e.Project+" "+e.Agent)
			if e.Type == "ready" {
				close(ready)
			}
			return e.Type != "context_assembled"
		}, "context_assembled", "memory_changed", "task_completed")
		if err != nil {
			types = append(types, err.Error())
		}
		heard <- types
	}()
	select {
	case <-ready:
	case types := <-heard:
		t.Fatalf("no event stream: %q", types)
	}
	fail := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	found, err := c.Search(ctx, client.SearchRequest{Query: "send one message by SMTP", Project: "web",
		DeadlineMS: 10_000})
	fail("search", err)
	if len(found.Results) == 0 || found.Results[0].Path != "src/mail/send.go" || found.Status != "ok" {
		t.Errorf("search: %+v", found)
	}
	saved, err := c.Save(ctx, "knight-1", "web",
		client.Draft{ItemType: "DECISION", Content: "Mail goes out by SMTP, one message at a time"})
	fail("save", err)
	items, err := c.Load(ctx, "knight-1", "web", "HOT", "WARM")
	fail("load", err)
	if len(items) != 1 || items[0].ID != saved.ID || items[0].CreatedAt.IsZero() {
		t.Errorf("load: %+v", items)
	}
	_, err = c.CompleteTask(ctx, "web", client.Task{ID: "t-1", Intent: "Send mail", Success: new(true)}, "", "")
	fail("complete", err)
	_, err = c.Block(ctx, "web", client.Blocker{ID: "t-2", Reason: "waits"})
	fail("block", err)
	blocked, err := c.Blockers(ctx, "web")
	fail("blockers", err)
	fail("unblock", c.Unblock(ctx, "web", "t-2"))
	shown, err := c.ShowTask(ctx, "web", "t-1", true)
	fail("toggle", err)
	tasks, err := c.Tasks(ctx, "web", 5)
	fail("tasks", err)
	if len(tasks) != 1 || len(blocked) != 1 || shown.Intent != "Send mail" {
		t.Errorf("tasks %+v, blockers %+v, shown %+v", tasks, blocked, shown)
	}
	prompt, err := c.Context(ctx, client.ContextRequest{Project: "web", Agent: "knight-1", AgentKind: "knight",
		DeadlineMS: 10_000, Task: &client.Work{ID: "t-3", Title: "Send messages in a batch",
			Description: "Send in src/mail/send.go delivers one message."}})
	fail("context", err)
	if prompt.Status != "ok" || len(prompt.Messages) == 0 || prompt.Tokens > prompt.BudgetTokens {
		t.Errorf("context: %+v", prompt)
	}
	if got, want := <-heard, []string{
		"ready  ", "memory_changed web knight-1", "task_completed web ", "context_assembled web knight-1",
	}; !slices.Equal(got, want) {
		t.Errorf("heard %q, want %q", got, want)
	}
	outcome, err := c.Feedback(ctx, prompt.ID,
		client.Feedback{Response: "Send now delivers messages in a batch by SMTP",
			Edited: []string{"src/mail/send.go"}})
	fail("feedback", err)
	if len(outcome.Used) == 0 {
		t.Errorf("feedback: %+v", outcome)
	}
	recalled, text, err := c.Recall(ctx, "knight-1", "web", "how does mail go out", "decision")
	fail("recall", err)
	if len(recalled) != 1 || !strings.Contains(text, "SMTP") {
		t.Errorf("recall: %+v", recalled)
	}
	fail("compacted", c.Compacted(ctx, "knight-1"))
	flash, err := c.FlashSave(ctx, "knight-1", "web",
		client.Draft{ItemType: "FACT", Content: "The batch is at most 50 messages"})
	fail("flash save", err)
	hot, err := c.Restore(ctx, "knight-1", "web", flash.CheckpointID)
	fail("restore", err)
	if len(hot) == 0 {
		t.Error("nothing is restored")
	}
	fail("forget", c.Forget(ctx, "knight-1", "web", saved.ID))
	by, err := c.Refresh(ctx, "web", "", "src/mail/send.go")
	fail("refresh", err)
	if by != "server" {
		t.Errorf("refresh by %q", by)
	}

	if _, err := c.Save(ctx, "knight-1", "", client.Draft{ItemType: "DREAM", Content: "x"}); !client.Is(err,
		"invalid-request") {
		t.Errorf("unknown type: %v", err)
	}
	if err := c.Unblock(ctx, "web", "none"); !client.Is(err, "not-found") ||
		!strings.HasPrefix(err.Error(), "DELETE /v1/projects/web/blockers/none: ") {
		t.Errorf("not found: %v", err)
	}
	stranger := client.New(w.http.URL, client.Options{HTTP: w.http.Client()})
	if _, err := stranger.Tasks(ctx, "web", 0); !client.Is(err, "unauthorized") {
		t.Errorf("without a token: %v", err)
	}
	if err := stranger.Events(ctx, func(client.Event) bool { return true }); !client.Is(err, "unauthorized") {
		t.Errorf("events without a token: %v", err)
	}
	gone, cancel := context.WithCancel(ctx)
	err = c.Events(gone, func(client.Event) bool { cancel(); return true })
	fail("listening until cancelled", err)
	var doc json.RawMessage
	fail("call", c.Call(ctx, "GET", "/openapi.json", nil, nil, &doc))
}
