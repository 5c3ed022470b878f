//go:build unix

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	client "github.com/contextd/contextd/clients/go"
)

// command is the document that a command prints, which has to succeed.
func (s *supervisor) command(into any, args ...string) {
	s.Helper()
	s.ok(s.JSON(into, "retriever", args...))
}

// sameAs wants a command to print the document that the server sends, or the field of both that is named.
func (s *supervisor) sameAs(path, field string, args ...string) {
	s.Helper()
	var said, sent map[string]any
	s.command(&said, args...)
	s.call("GET", path, nil, &sent)
	if field != "" {
		said, sent = map[string]any{field: said[field]}, map[string]any{field: sent[field]}
	}
	if len(sent) == 0 || sent[field] == nil && field != "" || !reflect.DeepEqual(said, sent) {
		s.Errorf("retriever %s says\n%v\nGET %s\n%v", strings.Join(args, " "), said, path, sent)
	}
}

func TestCommandsAndServerSeeTheSameStore(t *testing.T) {
	both(t, func(b *bundle) {
		s := supervise(b)
		s.past()
		for _, d := range []client.Draft{
			{ItemType: "DECISION", Content: "The accounts get a store of sessions."},
			{ItemType: "VERBOSE_LOG", Content: "=== RUN"},
		} {
			s.save("knight-1", d)
		}
		first, second := s.compile("knight"), s.compile("knight", func(r *client.ContextRequest) {
			r.BudgetTokens = 900
		})
		_, err := s.api.Feedback(s.Context(), first.ID, client.Feedback{Edited: []string{"internal/account/delete.go"}})
		s.ok(err)
		task, err := json.Marshal(work())
		s.ok(err)
		file := filepath.Join(s.Dir, "task.json")
		s.ok(os.WriteFile(file, task, 0o600))
		compile := []string{"context", "--agent", "knight", "--agent-id", "knight-1", "--project", shop, "--task-file",
			file, "--budget", "8000", "--deadline", patient}

		check := func() {
			s.Helper()
			s.sameAs("/v1/agents/knight-1/memory?project=shop", "items", "memory", "list", "--agent", "knight-1",
				"--project", shop)
			s.sameAs("/v1/agents/knight-1/memory?project=shop&scope=task&tier=COLD", "items", "memory", "list",
				"--agent", "knight-1", "--project", shop, "--scope", "task", "--tier", "COLD")
			s.sameAs("/api/agents/knight-1/context/stats?project=shop", "", "memory", "stats", "--agent", "knight-1",
				"--project", shop)
			s.sameAs("/v1/projects/shop/tasks", "tasks", "history", "list", "--project", shop, "--limit", "100")
			s.sameAs("/v1/projects/shop/blockers", "blockers", "history", "list", "--project", shop)
			s.sameAs("/v1/receipts?project=shop&limit=20", "receipts", "explain", "--project", shop)
			s.sameAs("/v1/receipts/"+first.ID, "", "explain", first.ID)
			s.sameAs("/v1/receipts/"+first.ID+"/diff/"+second.ID, "", "diff", first.ID, second.ID)
		}
		check()

		// What a command does is seen by the server, and compiled the same.
		var c client.ContextReply
		s.eventually(func() error { return s.fullStrength(&c, compile...) })
		want := s.compile("knight")
		if !reflect.DeepEqual(c.Messages, want.Messages) || c.PrefixHash != want.PrefixHash || c.Tokens != want.Tokens {
			s.Errorf("the command compiles\n%s\nthe server\n%s", textOf(&c), textOf(want))
		}
		s.sameAs("/v1/receipts/"+c.ID, "", "explain", c.ID)
		if d := s.diff(&c, want); !d.Same || len(d.Causes) > 0 {
			s.Errorf("the command's context and the server's: %+v", d)
		}
		var saved struct{ ID, Tier string }
		s.command(&saved, "memory", "save", "The store of sessions is handed over by main.", "--kind", "decision",
			"--agent", "knight-1", "--project", shop, "--cite", "internal/session/store.go:21-24")
		items, err := s.api.Load(s.Context(), "knight-1", shop)
		s.ok(err)
		i := slices.IndexFunc(items, func(it client.Item) bool { return it.ID == saved.ID })
		if i < 0 || items[i].Verify || len(items[i].Citations) != 1 || items[i].Citations[0].Hash == "" {
			s.Errorf("saved by a command: %+v in %+v", saved, items)
		}
		var done struct{ Task client.Task }
		s.command(&done, "history", "complete", "task-042", "--intent", "Delete sessions with their user", "--project",
			shop, "--changed", "internal/account/delete.go")
		s.command(&struct{}{}, "history", "unblock", "task-043", "--project", shop)
		s.command(&struct{}{}, "history", "block", "task-044", "waits for a review", "--project", shop)
		text := textOf(s.compile("knight"))
		for _, want := range []string{
			"handed over by main", `task-042: "Delete sessions with their user"`, `task-044: "waits for a review"`,
		} {
			if !strings.Contains(text, want) {
				s.Errorf("the context lacks %q:\n%s", want, text)
			}
		}
		if strings.Contains(text, "task-043") {
			s.Errorf("the context tells of a blocker that is gone:\n%s", text)
		}
		check()

		// What was injected by the server is known to the command.
		r, err := s.Exec("retriever", "memory", "save", "The store of sessions is handed over by main.", "--kind",
			"fact", "--agent", "knight-1", "--project", shop)
		if err != nil || r.Code != 2 || !strings.Contains(r.Err, "stood in the prompt already") {
			s.Errorf("a loop: %v, %v", r, err)
		}

		// Without server and daemon the commands go on, and say the same.
		s.server.Kill()
		s.indexer.Kill()
		var alone client.ContextReply
		s.eventually(func() error { return s.fullStrength(&alone, compile...) })
		if textOf(&alone) != text {
			s.Errorf("alone the command compiles\n%s\nthe server\n%s", textOf(&alone), text)
		}
		s.startServer()
		check()
	})
}

// fullStrength compiles by a command.
func (s *supervisor) fullStrength(c *client.ContextReply, args ...string) error {
	*c = client.ContextReply{}
	err := s.JSON(c, "retriever", args...)
	if err == nil && c.Status == "degraded" {
		err = &degradedError{c.Reasons}
	}
	return err
}

type degradedError struct{ reasons []string }

func (e *degradedError) Error() string { return "degraded: " + strings.Join(e.reasons, ", ") }

func TestCommandsRefuseAsTheServerDoes(t *testing.T) {
	t.Parallel()
	b := newBundle(t, nil)
	s := &supervisor{bundle: b}
	s.unpack("shop.txtar")
	b.index("--project", shop)
	empty := filepath.Join(s.Dir, "empty.json")
	s.ok(os.WriteFile(empty, []byte(`{"id":"task-1"}`), 0o600))
	for _, row := range []struct {
		args []string
		want string
	}{
		{[]string{"context", "--agent", "jester", "--project", shop, "--query", "x"},
			"architect, default, developer, knight"},
		{[]string{"context", "--agent", "knight", "--project", shop, "--task-file", empty}, "says nothing"},
		{[]string{"context", "--project", shop, "--query", "where are sessions deleted", "--budget", "5"}, "budget"},
		{[]string{"context", "--project", shop, "--query", "x", "--profile", "jester"}, "knight"},
		{[]string{"memory", "save", "caf\xe9", "--agent", "knight-1", "--project", shop}, "UTF-8"},
		{[]string{"memory", "save", "x", "--agent", "knight-1", "--project", shop, "--kind", "wish"}, "decision"},
	} {
		r, err := s.Exec("retriever", row.args...)
		if err != nil || r.Code != 2 || strings.Count(r.Err, "error: ") != 1 || !strings.Contains(r.Err, row.want) {
			s.Errorf("%v, %v, want exit 2 and an error with %q", r, err, row.want)
		}
	}
	for _, args := range [][]string{
		{"explain", "ctx_none"},
		{"diff", "ctx_none", "ctx_other"},
		{"explain", "--project", shop},
	} {
		if r, err := s.Exec("retriever", args...); err != nil || r.Code != 1 || r.Err != "" {
			s.Errorf("%v, %v, want exit 1", r, err)
		}
	}
}
